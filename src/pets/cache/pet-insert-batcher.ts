import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database, outsideTransactions } from '../../database/index.js';
import { UnavailableError } from '../../errors/index.js';
import { Events } from '../../events/index.js';
import { type NewPetRow, type PetRow, PetsRepository } from '../pets.repository.js';

interface Waiting {
  readonly pet: NewPetRow;
  readonly actor: string | undefined;
  readonly resolve: (row: PetRow) => void;
  readonly reject: (reason: unknown) => void;
}

/** Maximum number of pets per statement. */
const BATCH_SIZE = 64;
/** Maximum number of turns of the event loop that a transaction waits for more pets: a few milliseconds if busy. */
const MAX_TURNS = 8;

/**
 * Inserts pets that wait at the same time with one statement in one transaction, which costs little more than inserting one.
 * Callers resolve only after commit. If a batch fails, its pets are inserted one by one.
 */
@Injectable()
export class PetInsertBatcher {
  private waiting: Waiting[] = [];
  /** Whether a write is starting that has not yet taken the waiting pets. */
  private isStarting = false;

  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
    private readonly events: Events,
  ) {}

  add(pet: NewPetRow, actor?: string): Promise<PetRow> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ pet, actor, resolve, reject });
      this.writeWaiting();
    });
  }

  private writeWaiting(): void {
    if (this.isStarting || this.waiting.length === 0) return;
    this.isStarting = true;
    void outsideTransactions(() => this.write());
  }

  private async write(): Promise<void> {
    await this.gather();
    let batch: readonly Waiting[] | undefined;
    try {
      const rows = await this.database.write(async (manager) => {
        // Taken only now, so that pets that arrived while the transaction waited for its turn are included.
        batch = this.take();
        // The remaining pets must not wait for the end of this transaction.
        this.writeWaiting();
        return this.insert(manager, batch);
      });
      rows.forEach((row, index) => batch?.[index]?.resolve(row));
    } catch (error) {
      // Without a batch, no transaction could begin, so the waiting pets would fail too.
      if (batch === undefined) rejectAll(this.take(Infinity), error);
      else if (batch.length === 1 || error instanceof UnavailableError) rejectAll(batch, error);
      else await this.writeEach(batch);
    }
    this.writeWaiting();
  }

  /** For a batch in which the database refused a pet, such as by a trigger: only that one fails. */
  private async writeEach(batch: readonly Waiting[]): Promise<void> {
    for (const [index, waiting] of batch.entries()) {
      try {
        const [row] = await this.database.write((manager) => this.insert(manager, [waiting]));
        waiting.resolve(row as PetRow);
      } catch (error) {
        if (error instanceof UnavailableError) return rejectAll(batch.slice(index), error);
        waiting.reject(error);
      }
    }
  }

  private async insert(manager: EntityManager, batch: readonly Waiting[]): Promise<PetRow[]> {
    const rows = await this.pets.insert(
      manager,
      batch.map(({ pet }) => pet),
    );
    for (const [index, after] of rows.entries()) {
      const change = () => ({ before: undefined, after });
      await this.events.raise(manager, 'pet.created', batch[index]?.actor, change);
    }
    return rows;
  }

  /** Waits while each turn of the event loop brings more pets, because a transaction costs many times what a pet costs. */
  private async gather(): Promise<void> {
    let gathered = 0;
    for (let turns = 0; turns < MAX_TURNS && gathered < this.waiting.length && gathered < BATCH_SIZE; turns++) {
      gathered = this.waiting.length;
      await nextTurn();
    }
  }

  private take(limit = BATCH_SIZE): readonly Waiting[] {
    this.isStarting = false;
    return this.waiting.splice(0, limit);
  }
}

function rejectAll(batch: readonly Waiting[], reason: unknown): void {
  for (const { reject } of batch) reject(reason);
}
