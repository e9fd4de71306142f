import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Database, outsideTransactions, isCanonicalId } from '../../kernel.js';
import { type PetRow, PetsRepository } from '../pets.repository.js';

/** Loads the pets that are requested in the same turn of the event loop with one statement. */
@Injectable()
export class PetBatchLoader {
  private readonly loader = new DataLoader((petIds: readonly string[]) => this.readAll(petIds), {
    cache: false,
    maxBatchSize: 64,
  });

  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
  ) {}

  /** @param petId decimal digits */
  async read(petId: string): Promise<PetRow | undefined> {
    // PostgreSQL would fail the statement, and with it the other requests.
    return isCanonicalId(petId) ? this.loader.load(petId) : undefined;
  }

  private async readAll(petIds: readonly string[]): Promise<(PetRow | undefined)[]> {
    // The first request may be what is left of a transaction that was rolled back.
    const rows = await outsideTransactions(() => this.pets.find(this.database.manager, petIds));
    const byId = new Map(rows.map((row) => [String(row.id), row]));
    return petIds.map((petId) => byId.get(petId));
  }
}
