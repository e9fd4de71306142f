#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { PreparedAnswer } from '../harness/compare.js';

// The upper limit: Node's HTTP server with prepared responses. It does not read the request body.
const prepared = JSON.parse(readFileSync(process.env['BENCH_ANSWERS'] ?? '', 'utf8')) as PreparedAnswer[];
const nothing = { status: 404, headers: [], body: '' };
const answers = new Map(
  prepared.map(({ ask, answer }) => [nameOf(ask.method, ask.path, ask.headers['authorization']), answer]),
);

createServer(({ method, url, headers }, response) => {
  const { status, headers: pairs, body } = answers.get(nameOf(method, url, headers.authorization)) ?? nothing;
  response.writeHead(status, pairs);
  response.end(body);
}).listen(Number(process.env['PORT']), process.env['HOST']);

function nameOf(method: string | undefined, path: string | undefined, authorization: string | undefined): string {
  return `${method} ${path} ${authorization}`;
}
