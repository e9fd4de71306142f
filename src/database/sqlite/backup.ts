import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'sqlite-driver';
import { createPrivateFile } from './sqlite-file.js';

/**
 * Copies a database, also while a service writes to it. The copy has the state at the beginning, and only the user of this
 * process can read it. It appears under its name when it is complete and verified.
 * @throws Error if the target exists, or the copy is not intact
 */
export function backUp(databaseFile: string, target: string): void {
  if (existsSync(target)) throw new Error(`EEXIST: ${target} exists already.`);
  // Its own, so that backups at the same time do not write the same file. Killed, it leaves this one.
  const incomplete = `${target}-incomplete-${randomUUID()}`;
  try {
    createPrivateFile(incomplete);
    const source = new Sqlite(databaseFile, { readonly: true, fileMustExist: true });
    source.prepare('VACUUM INTO ?').run(incomplete);
    source.close();
    const copy = new Sqlite(incomplete);
    const result: unknown = copy.pragma('integrity_check', { simple: true });
    copy.close();
    if (result !== 'ok') throw new Error(`The copy is not intact: ${String(result)}`);
    sync(incomplete);
    renameSync(incomplete, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw error;
  }
}

/** @param path of a file or a folder */
function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
