import { createHash } from 'node:crypto';

/** A Lua script that Redis runs as one step. */
export class Script {
  /** The name under which Redis keeps it. */
  readonly sha: string;

  /** @param source keys come in KEYS, all of one cluster slot; values in ARGV */
  constructor(readonly source: string) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }
}
