import { join } from 'node:path';

/** Root folder of the project. */
export const HOME = join(import.meta.dirname, '../..');
