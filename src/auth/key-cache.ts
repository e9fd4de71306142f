import type { KnownKey } from './known-key.js';

/** What an operation changed: one key, or with `null` all keys of the account. */
export interface KeyChange {
  readonly accountId: number;
  readonly keyId: string | null;
}

/**
 * The keys in use, by token. Only keys that exist come in, so made-up tokens take no memory.
 * When it is full, the key that was looked up longest ago makes room; keys in use are looked up again all the time.
 */
export class KeyCache {
  private readonly keys = new Map<string, KnownKey>();

  /** @param capacity most keys that are kept */
  constructor(private readonly capacity = 10_000) {}

  get size(): number {
    return this.keys.size;
  }

  get(token: string): KnownKey | undefined {
    return this.keys.get(token);
  }

  set(token: string, key: KnownKey): void {
    // A Map iterates in the order of insertion: taking the key out first puts it last in line.
    this.keys.delete(token);
    this.keys.set(token, key);
    if (this.keys.size <= this.capacity) return;
    const oldest = this.keys.keys().next();
    if (oldest.done !== true) this.keys.delete(oldest.value);
  }

  delete(token: string): void {
    this.keys.delete(token);
  }

  /** Changes are rare enough that going through all keys is cheaper than an index to maintain. */
  forget(change: KeyChange): void {
    for (const [token, { caller }] of this.keys) {
      if (change.keyId === null ? caller.accountId === change.accountId : caller.keyId === change.keyId) {
        this.keys.delete(token);
      }
    }
  }

  clear(): void {
    this.keys.clear();
  }
}
