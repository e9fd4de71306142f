import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { CatalogueVersion } from './catalogue-version.js';
import type { NewRow, PetRow } from './pet-row.js';
import { insertPets } from './pet-sql.js';

interface Waiting {
  readonly pet: NewRow;
  readonly resolve: (row: PetRow) => void;
  readonly reject: (reason: unknown) => void;
}

/** Most pets that one statement adds. */
const BATCH_SIZE = 64;
/** Most turns of the event loop that a transaction waits for company: a few milliseconds on a busy service. */
const MOST_TURNS = 8;

/**
 * Adds pets that wait at the same time with one statement in one transaction, which costs hardly more than adding one.
 * None is told of before it is durable.
 */
@Injectable()
export class PetCreation {
  private waiting: Waiting[] = [];
  /** Whether a write is under way that has yet to take those who wait. */
  private isComing = false;

  constructor(
    private readonly database: Database,
    private readonly version: CatalogueVersion,
  ) {}

  add(pet: NewRow): Promise<PetRow> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ pet, resolve, reject });
      this.writeWaiting();
    });
  }

  private writeWaiting(): void {
    if (this.isComing || this.waiting.length === 0) return;
    this.isComing = true;
    void this.write();
  }

  private async write(): Promise<void> {
    await this.gather();
    let batch: readonly Waiting[] | undefined;
    try {
      const rows = await this.database.write((manager) => {
        // Only now, so that all that came in while the transaction waited for its turn are part of it.
        batch = this.take();
        this.version.add();
        return insertPets(manager, batch.map(({ pet }) => pet));
      });
      batch?.forEach(({ resolve }, index) => resolve(rows[index] as PetRow));
    } catch (error) {
      batch ??= this.take();
      for (const { reject } of batch) reject(error);
    }
    this.writeWaiting();
  }

  /** Waits for as long as each turn of the event loop brings more, as the transaction costs many times what a pet does. */
  private async gather(): Promise<void> {
    let gathered = 0;
    for (let turns = 0; turns < MOST_TURNS && gathered < this.waiting.length && gathered < BATCH_SIZE; turns++) {
      gathered = this.waiting.length;
      await nextTurn();
    }
  }

  private take(): readonly Waiting[] {
    this.isComing = false;
    return this.waiting.splice(0, BATCH_SIZE);
  }
}
