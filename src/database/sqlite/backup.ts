import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import Sqlite from 'sqlite-driver';
import { createPrivateFile } from './sqlite-file.js';

/**
 * Copies a database, also while a service writes to it. The copy has the state at the beginning, and only the user of this
 * process can read it. It appears under its name when it is complete and verified.
 * @throws Error if the target exists, or the copy is not intact
 */
export function backUp(databaseFile: string, target: string): void {
  const incomplete = `${target}-incomplete`;
  closeSync(openSync(target, 'ax', 0o600));
  try {
    rmSync(incomplete, { force: true });
    createPrivateFile(incomplete);
    const source = new Sqlite(databaseFile, { readonly: true, fileMustExist: true });
    source.prepare('VACUUM INTO ?').run(incomplete);
    source.close();
    verify(incomplete);
    renameSync(incomplete, target);
  } catch (error) {
    for (const file of [incomplete, target]) rmSync(file, { force: true });
    throw error;
  }
}

function verify(file: string): void {
  const copy = new Sqlite(file);
  const result: unknown = copy.pragma('integrity_check', { simple: true });
  copy.close();
  if (result !== 'ok') throw new Error(`The copy is not intact: ${String(result)}`);
  const descriptor = openSync(file, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
