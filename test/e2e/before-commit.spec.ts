// @postgres: two batches of pets are written at the same time.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApiError, BeforeCommit, currentPrincipal, type DomainEvent, type EventOf, NOBODY } from '../../src/index.js';
import { PetsModule, PetsService, type Principal, runFor } from '../../src/index.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';

const REFUSED = { code: 'pet_refused', status: 409, meaning: 'The pet is refused.' };
/** The names of pets, by the calls of the listener. */
const batches: string[][] = [];
/** By the name of a pet, for whom its listener acted. */
const principals = new Map<string | undefined, Principal>();
/** The pattern of a listener, and the name of the event. */
const heard: string[] = [];

@Injectable()
class Ledger {
  @BeforeCommit('pet.created', { batch: true })
  async record(events: readonly DomainEvent<'pet.created'>[], manager: EntityManager): Promise<void> {
    const names = events.map(({ after }) => after.name);
    batches.push(names);
    principals.set('batch', currentPrincipal());
    await manager.insert(
      NoteEntity,
      names.map((text) => ({ text })),
    );
    if (names.includes('refused')) throw new ApiError(REFUSED, 'The ledger refuses the pet.');
  }

  @BeforeCommit('pet.*')
  hearOfPets({ name, after }: EventOf<'pet.*'>): void {
    heard.push(`pet.* ${name}`);
    principals.set(after?.name, currentPrincipal());
  }

  @BeforeCommit('*')
  hearOfAll({ name }: EventOf<'*'>): void {
    heard.push(`* ${name}`);
  }
}

@Module({ imports: [PetsModule], providers: [Ledger] })
class LedgerModule {}

let key: string;
let pets: PetsService;
sharePreparedApp({ extensions: [NOTES, { module: LedgerModule }] }, async () => {
  key = await service.key(AMPLE);
  pets = service.app.get(PetsService);
});
beforeEach(async () => {
  for (const told of [batches, heard]) told.splice(0);
  await notesOf(service).clear();
});

const create = (name: string) => service.post('/v1/pets', key, { name, categoryId: 1 });
const noted = async () => (await notesOf(service).find()).map(({ text }) => text).toSorted();
const catalogue = async () => {
  const { body } = await service.json<{ name: string }[]>('/v1/pets?limit=100', { key });
  return body.map(({ name }) => name);
};

describe('a listener in the transaction of pets', () => {
  it('is called with all that are created at the same time, and writes with them', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `pet ${n}`).toSorted();
    await Promise.all(names.map((name) => pets.create({ name, categoryId: 1 })));
    expect(batches.flat().toSorted()).toEqual(names);
    expect(batches.length).toBeLessThan(5);
    expect(await noted()).toEqual(names);
  });

  it('acts for the creator of each, and for nobody if it is called with several', async () => {
    const creators = Array.from({ length: 5 }, (_, n) => ({ actor: `key ${n}`, accountId: 1_000 + n }));
    await Promise.all(
      creators.map((creator) => runFor(creator, () => pets.create({ name: creator.actor, categoryId: 1 }))),
    );
    expect(batches[0]).toEqual(creators.map(({ actor }) => actor));
    expect(creators.map(({ actor }) => principals.get(actor))).toEqual(creators);
    expect(principals.get('batch')).toEqual(NOBODY);
  });

  it('refuses one of them without the others', async () => {
    const others = Array.from({ length: 10 }, (_, n) => `other ${n}`);
    const [refused, ...kept] = await Promise.allSettled(
      ['refused', ...others].map((name) => pets.create({ name, categoryId: 1 })),
    );
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: 'The ledger refuses the pet.' } });
    expect(kept.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
    expect(batches[0]).toEqual(['refused', ...others]);
    expect(await noted()).toEqual(others);
    expect(await catalogue()).toEqual(expect.arrayContaining(others));
    expect(await catalogue()).not.toContain('refused');
  });

  it('hears of all events of a feature, or of all', async () => {
    const { id } = (await (await create('one')).json()) as { id: number };
    expect((await service.request(`/v1/pets/${id}`, { method: 'DELETE', key })).status).toBe(204);
    expect((await service.post('/v1/categories', await service.key(AMPLE), { name: 'Cats' })).status).toBe(201);
    expect(heard.filter((line) => line.startsWith('pet.*'))).toEqual(['pet.* pet.created', 'pet.* pet.removed']);
    expect(heard).toEqual(expect.arrayContaining(['* pet.created', '* key.created', '* category.created']));
  });
});
