import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { isCanonicalId } from '../validation/index.js';
import type { PetRow } from './pet-row.js';
import { selectPets } from './pet-sql.js';

/** Most pets that one statement reads. */
const BATCH_SIZE = 64;

interface Batch {
  /** Decimal digits. */
  readonly petIds: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, PetRow>>;
}

/** Reads the pets that are asked for in the same turn of the event loop with one statement. */
@Injectable()
export class PetReading {
  private open: Batch | undefined;

  constructor(private readonly database: Database) {}

  /** @param petId decimal digits */
  async read(petId: string): Promise<PetRow | undefined> {
    // PostgreSQL would fail the statement, and with it what the others asked for.
    if (!isCanonicalId(petId)) return undefined;
    this.open ??= this.begin();
    const { petIds, rows } = this.open;
    petIds.add(petId);
    if (petIds.size === BATCH_SIZE) this.open = undefined;
    return (await rows).get(petId);
  }

  private begin(): Batch {
    const petIds = new Set<string>();
    return { petIds, rows: this.readAll(petIds) };
  }

  private async readAll(petIds: Set<string>): Promise<ReadonlyMap<string, PetRow>> {
    // Comes after all promises that are settled by now, so after all requests that go on in this turn.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (this.open?.petIds === petIds) this.open = undefined;
    const rows = await this.database.read((manager) => selectPets(manager, [...petIds]));
    return new Map(rows.map((row) => [String(row.id), row]));
  }
}
