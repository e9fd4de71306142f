import { once } from 'node:events';
import { PostgresServer } from './servers/postgres-server.js';

/*
 * A program that runs a PostgreSQL server and prints its address. It exits when standard input ends, so the server always
 * stops with the test run.
 */

// The specs in test/faults test the durability of commits, on separate servers.
const server = await PostgresServer.start({ fsync: false, maxConnections: 200 });
process.stdout.write(server.url(''));
await once(process.stdin.resume(), 'end');
await server.stop();
