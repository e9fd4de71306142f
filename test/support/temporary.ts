import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewKey } from '../../src/accounts/keys/key-options.js';

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'petstore-test-'));
}

/** Folders for the data of processes, removed together. */
export class Folders {
  private readonly made: string[] = [];

  make(): string {
    const folder = makeFolder();
    this.made.push(folder);
    return folder;
  }

  async remove(): Promise<void> {
    for (const folder of this.made.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** A plan that no test exhausts. */
export const AMPLE = {
  plan: 'enterprise',
  perMinute: 1_000_000,
  perDay: 10_000_000,
} as const satisfies Partial<NewKey>;
