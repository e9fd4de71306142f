import { createHash } from 'node:crypto';

/** A Lua script, which Redis runs atomically. */
export class Script {
  /** SHA-1 of the source, which identifies it in Redis. */
  readonly sha: string;

  /** @param source gets keys in KEYS, all of one cluster slot, and values in ARGV */
  constructor(readonly source: string) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }
}
