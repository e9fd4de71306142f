import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a certificate of localhost for a day. Returns a file with it and its key. */
export function makeCertificate(folder: string): string {
  const file = join(folder, 'petstore.pem');
  const args = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout petstore.pem -out certificate';
  execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });
  writeFileSync(file, readFileSync(join(folder, 'certificate')), { flag: 'a' });
  return file;
}
