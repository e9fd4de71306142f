import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Creates a database file, and its folders, that only the user of this process can read. Existing files and folders are kept.
 * SQLite gives its other files the mode of the database.
 */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
  closeSync(openSync(file, 'a', FILE_MODE));
}
