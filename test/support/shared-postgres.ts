import { once } from 'node:events';
import { PostgresServer } from '../../src/testing/postgres-server.js';

/*
 * A program: runs a PostgreSQL server, prints its address, and ends once standard input does; so the server goes with
 * the test run, however that ends.
 */

// What commits have to survive is tested on servers of the tests' own, in test/faults.
const server = await PostgresServer.start({ fsync: false, maxConnections: 200 });
process.stdout.write(server.url(''));
await once(process.stdin.resume(), 'end');
await server.stop();
