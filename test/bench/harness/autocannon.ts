import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Ask } from './ask.js';
import type { Load } from './load.js';

// The load generator if wrk is not installed. Runs in a separate process to keep off the CPU of the service.
const [url = '', file = '', connections, seconds] = process.argv.slice(2);
const requests = JSON.parse(readFileSync(file, 'utf8')) as Ask[];
const result = await autocannon({ url, connections: Number(connections), duration: Number(seconds), requests });
const load: Load = {
  requestsPerSecond: result.requests.total / result.duration,
  p99Ms: result.latency.p99,
  requests: result.requests.total,
  refused: result['4xx'] + result['5xx'],
  broken: result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(load)}\n`);
