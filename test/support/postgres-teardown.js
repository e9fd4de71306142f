import { once } from 'node:events';

export default async function tearDown() {
  const child = globalThis.sharedPostgres;
  const exited = once(child, 'exit');
  child.stdin.end();
  await exited;
}
