import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { currentPrincipal, Events, NOBODY, type Principal, runFor } from '../../kernel.js';
import { Database, DomainError, Env, outsideTransactions, unavailable } from '../../kernel.js';
import { type NewPetRow, type PetRow, PetsRepository } from '../pets.repository.js';

interface Creation {
  readonly pet: NewPetRow;
  readonly by: Principal;
}

interface Waiting extends Creation {
  readonly resolve: (row: PetRow) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

const BATCH_SIZE = 64;
/** Turns of the event loop that a batch waits for more pets: a few milliseconds if busy. */
const MAX_TURNS = 8;
/** At the same time on PostgreSQL: one has the lock, and another waits for it. */
const MAX_BATCHES = 2;

/**
 * Inserts pets, and raises their events. Pets that wait at the same time share one statement, which costs little more than
 * inserting one, and resolve only after its commit. If it fails, they are inserted one by one.
 */
@Injectable()
export class PetInsertBatcher {
  private readonly waiting = new Set<Waiting>();
  private readonly maxBatches: number;
  private batches = 0;

  constructor(
    private readonly database: Database,
    private readonly pets: PetsRepository,
    private readonly events: Events,
    private readonly env: Env,
  ) {
    this.maxBatches = database.isEmbedded ? 1 : MAX_BATCHES;
  }

  /**
   * Inserts a pet in the transaction of the caller, such as that of an Idempotency-Key. Outside of one, it shares a batch.
   * @throws (rejects) DomainError `service_unavailable` if other creates take too long; the error of a listener
   */
  async add(pet: NewPetRow): Promise<PetRow> {
    return this.database.isWriting ? this.insertAlone(pet) : this.insertWithOthers(pet);
  }

  private async insertAlone(pet: NewPetRow): Promise<PetRow> {
    const creation = { pet, by: currentPrincipal() };
    const [row] = await this.database.write((manager) => this.insert(manager, [creation]));
    return row as PetRow;
  }

  private insertWithOthers(pet: NewPetRow): Promise<PetRow> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(unavailable(new Error('Other creates took too long.')));
      }, this.env.DATABASE_TIMEOUT_MS);
      const waiting = { pet, by: currentPrincipal(), resolve, reject, timer };
      this.waiting.add(waiting);
      if (this.batches < this.maxBatches) void outsideTransactions(() => runFor(NOBODY, () => this.write()));
    });
  }

  private async write(): Promise<void> {
    this.batches += 1;
    while (this.waiting.size > 0) {
      await this.gather();
      const batch = this.take();
      if (batch.length > 0) await this.writeBatch(batch);
    }
    this.batches -= 1;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.insertBatch(batch);
      for (const [index, { resolve }] of batch.entries()) resolve(rows[index] as PetRow);
    } catch (error) {
      const isDone = batch.length === 1 || (error instanceof DomainError && error.code === 'service_unavailable');
      for (const waiting of batch) {
        if (isDone) waiting.reject(error);
        // The database or a listener refused one of them: only that one fails.
        else await this.writeBatch([waiting]);
      }
    }
  }

  /** Events need a transaction; without them, one statement is one. */
  private insertBatch(batch: readonly Creation[]): Promise<PetRow[]> {
    if (!this.events.needsTransaction('pet.created')) return this.insert(this.database.manager, batch);
    return this.database.write((manager) => this.insert(manager, batch));
  }

  private async insert(manager: EntityManager, creations: readonly Creation[]): Promise<PetRow[]> {
    const pets = creations.map(({ pet }) => pet);
    const rows = await this.pets.insert(manager, pets);
    const raised = creations.map(({ by }, index) => ({
      by,
      change: () => ({ before: undefined, after: rows[index] as PetRow }),
    }));
    await this.events.raiseTogether(manager, 'pet.created', raised);
    return rows;
  }

  /** Waits while each turn of the event loop brings more pets, because a commit costs many times what a pet costs. */
  private async gather(): Promise<void> {
    let gathered = 0;
    for (let turns = 0; turns < MAX_TURNS && gathered < this.waiting.size && gathered < BATCH_SIZE; turns++) {
      gathered = this.waiting.size;
      await nextTurn();
    }
  }

  private take(): readonly Waiting[] {
    const batch = [...this.waiting].slice(0, BATCH_SIZE);
    for (const waiting of batch) {
      clearTimeout(waiting.timer);
      this.waiting.delete(waiting);
    }
    return batch;
  }
}
