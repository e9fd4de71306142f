import { Injectable } from '@nestjs/common';
import { Database, outsideTransactions } from '../../database/index.js';
import { isCanonicalId } from '../../http/index.js';
import { type PetRow, PetsRepository } from '../pets.repository.js';

/** Maximum number of pets per statement. */
const BATCH_SIZE = 64;

interface Batch {
  /** Decimal digits. */
  readonly petIds: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, PetRow>>;
}

/** Loads the pets that are requested in the same turn of the event loop with one statement. */
@Injectable()
export class PetBatchLoader {
  private open: Batch | undefined;

  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
  ) {}

  /** @param petId decimal digits */
  async read(petId: string): Promise<PetRow | undefined> {
    // PostgreSQL would fail the statement, and with it the other requests.
    if (!isCanonicalId(petId)) return undefined;
    this.open ??= this.begin();
    const { petIds, rows } = this.open;
    petIds.add(petId);
    if (petIds.size === BATCH_SIZE) this.open = undefined;
    return (await rows).get(petId);
  }

  private begin(): Batch {
    const petIds = new Set<string>();
    return { petIds, rows: outsideTransactions(() => this.readAll(petIds)) };
  }

  private async readAll(petIds: Set<string>): Promise<ReadonlyMap<string, PetRow>> {
    // Runs after all settled promises, so after all requests of this turn.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    if (this.open?.petIds === petIds) this.open = undefined;
    const rows = await this.database.read((manager) => this.pets.find(manager, [...petIds]));
    return new Map(rows.map((row) => [String(row.id), row]));
  }
}
