// @postgres: transactions at once read what the other one changes.
import { describe, expect, it } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import { PetsService } from '../../src/pets/index.js';
import { key, service, shareApp } from '../support/folders.js';

shareApp();

type Method = 'reserve' | 'release' | 'sell';

/** Each in a transaction of its own. */
const order = (method: Method, petId: string, after: () => Promise<void> = async () => {}) =>
  service.app.get(Database).write(async () => {
    await service.app.get(PetsService)[method](petId);
    await after();
  });

async function add(status: string): Promise<string> {
  const response = await service.post('/v1/pets', key, JSON.stringify({ name: 'x', categoryId: 1, status }));
  return String(((await response.json()) as { id: number }).id);
}

const statusOf = async (petId: string) =>
  ((await (await service.request(`/v1/pets/${petId}`, { key })).json()) as { status?: string }).status;

describe('a pet that an order reserves', () => {
  it('is pending, and available or sold when the order ends', async () => {
    const petId = await add('available');
    await order('reserve', petId);
    expect(await statusOf(petId)).toBe('pending');
    await order('release', petId);
    expect(await statusOf(petId)).toBe('available');
    await order('reserve', petId);
    await order('sell', petId);
    expect(await statusOf(petId)).toBe('sold');
  });

  it('is reserved by one of many concurrent orders', async () => {
    const petId = await add('available');
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => order('reserve', petId)));
    const refusals = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => (reason as { code: string }).code);
    expect(refusals).toEqual(Array.from({ length: 99 }, () => 'pet_not_available'));
  });

  it('stays available when the transaction fails', async () => {
    const petId = await add('available');
    await expect(order('reserve', petId, () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
    expect(await statusOf(petId)).toBe('available');
  });

  it.each(['pending', 'sold'])('cannot be reserved if it is %s', async (status) => {
    await expect(order('reserve', await add(status))).rejects.toMatchObject({ code: 'pet_not_available' });
  });

  it('must exist', async () => {
    await expect(order('reserve', '9007199254740993')).rejects.toMatchObject({ code: 'pet_not_found' });
  });

  it('must be reserved to be sold; released, one that is not stays as it is', async () => {
    const petId = await add('pending');
    await order('release', petId);
    await expect(order('sell', petId)).rejects.toThrow(`The pet ${petId} is not reserved any more`);
    expect(await statusOf(petId)).toBe('pending');
  });
});
