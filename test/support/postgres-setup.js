import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts the PostgreSQL server that all tests share, and passes them its address. */
export default async function setUp() {
  const flags = ['--disable-warning=DEP0205', '--import', '@swc-node/register/esm-register'];
  const child = spawn(process.execPath, [...flags, new URL('./shared-postgres.ts', import.meta.url).pathname], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [url] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  process.env.TEST_POSTGRES_URL = String(url);
  globalThis.sharedPostgres = child;
}
