import { Injectable } from '@nestjs/common';
import { chunksOf, Database, query } from '../../database/index.js';

/** 2 MiB. With 100,000 keys, one in three million random keys passes; with a million keys, one in 500. */
const BITS = 2 ** 24;
const BITS_PER_KEY = 4;
const HEX_DIGITS_PER_BIT = 6;
/** Number of keys that one statement reads. */
const PAGE_SIZE = 1_000;

/**
 * Tells without a query that a key does not exist: a Bloom filter over the SHA-256 of all keys, whose digits serve as hash
 * values. Deleted keys stay in the filter until the next start.
 */
@Injectable()
export class KeyBloomFilter {
  private readonly bytes = new Uint8Array(BITS / 8);

  constructor(private readonly database: Database) {}

  /** @param sha256 from `hashApiKey` */
  add(sha256: string): void {
    for (const bit of bitsOf(sha256)) this.bytes[bit >> 3] = this.byteOf(bit) | (1 << (bit & 7));
  }

  /** False for a key that was not added; rarely true for one. */
  mayHave(sha256: string): boolean {
    return bitsOf(sha256).every((bit) => (this.byteOf(bit) & (1 << (bit & 7))) !== 0);
  }

  /** Adds all keys of the database. */
  async load(): Promise<void> {
    let after = '';
    for (;;) {
      const page = await this.hashes('"sha256" > ? ORDER BY "sha256" LIMIT ?', [after, PAGE_SIZE]);
      const last = page.at(-1);
      if (last === undefined) return;
      page.forEach((sha256) => this.add(sha256));
      after = last;
    }
  }

  /** Adds the keys with these identifiers. */
  async loadKeys(ids: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(ids)) {
      const hashes = await this.hashes(`"id" IN (${chunk.map(() => '?').join()})`, chunk);
      hashes.forEach((sha256) => this.add(sha256));
    }
  }

  private async hashes(condition: string, parameters: readonly (string | number)[]): Promise<string[]> {
    const sql = `SELECT "sha256" FROM "api_keys" WHERE ${condition}`;
    const rows = await this.database.read((manager) => query<{ sha256: string }>(manager, sql, parameters));
    return rows.map(({ sha256 }) => sha256);
  }

  private byteOf(bit: number): number {
    return this.bytes[bit >> 3] ?? 0;
  }
}

function bitsOf(sha256: string): number[] {
  return Array.from({ length: BITS_PER_KEY }, (_, index) => {
    const start = index * HEX_DIGITS_PER_BIT;
    return Number.parseInt(sha256.slice(start, start + HEX_DIGITS_PER_BIT), 16);
  });
}
