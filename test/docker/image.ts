import { join } from 'node:path';

export const HOME = join(import.meta.dirname, '../..');
