import { describe, expect, it } from '@jest/globals';
import { DataSource, MoreThan, type SelectQueryBuilder } from 'typeorm';
import { type PageOrder, readPage } from '../../src/index.js';
import { onPostgres } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { Box, Crate, Shelf, SHELVES } from '../support/shelves.module.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { nextPage } from '../support/pages.js';

const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';
/** A JavaScript number cannot tell the first three from each other. */
const SIZES = ['9007199254740992', '9007199254740993', '9007199254740994', INT64_MAX, INT64_MIN, '0', '0', '0', '7'];
const LABELS = ['', 'Food', 'food', 'Äpfel', 'Food & toys, 50%', '', 'Food', '🐕', 'B'];
const DAYS = [1, 2, 2, 2, 3, 1, 5, 4, 5];

const shelfAt = (at: number): Omit<Shelf, 'id' | 'boxes'> => ({
  size: SIZES[at] ?? '',
  label: LABELS[at] ?? '',
  madeAt: new Date(`2026-11-0${DAYS[at]}T12:00:00.5Z`),
  isOpen: true,
  note: null,
});

let key: string;
let dataSource: DataSource;
sharePreparedApp({ extensions: [SHELVES] }, async () => {
  key = await service.key();
  dataSource = service.app.get(DataSource);
  for (const at of SIZES.keys()) await dataSource.getRepository(Shelf).insert(shelfAt(at));
  const boxes = ['c', 'a', 'b', 'd'];
  for (const id of boxes) await dataSource.getRepository(Box).insert({ id, shelf: { id: 1 } });
});

const shelves = () => dataSource.getRepository(Shelf).createQueryBuilder('shelf');

/** All rows that a query finds, read page by page. */
async function rowsBy<Row extends object>(query: SelectQueryBuilder<Row>, order: PageOrder<Row>, limit: number) {
  const rows: Row[] = [];
  for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages += 1) {
    expect(pages).toBeLessThan(SIZES.length);
    const { items, nextAfter } = await readPage(query, order, { limit, after });
    expect(items.length).toBeLessThanOrEqual(limit);
    rows.push(...items);
    after = nextAfter?.toString();
  }
  return rows;
}

/** Identifiers of all shelves that a query finds, read page by page. */
const idsBy = async (order: PageOrder<Shelf>, limit: number, query = shelves()) =>
  (await rowsBy(query, order, limit)).map(({ id }) => id);

const named = ({ floor, id }: Crate) => `${floor} ${id}`;
const cursor = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const read = (order: PageOrder<Shelf>, after: string) => readPage(shelves(), order, { limit: 2, after });
const get = (query: string, headers: Record<string, string> = {}) =>
  service.request(`/v1/shelves${query}`, { key, headers });

describe('a list that is read page by page', () => {
  it.each<[keyof Shelf, number[]]>([
    ['id', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['size', [5, 6, 7, 8, 9, 1, 2, 3, 4]],
    // By the bytes of UTF-8.
    ['label', [1, 6, 9, 2, 7, 5, 3, 4, 8]],
    ['madeAt', [1, 6, 2, 3, 4, 5, 8, 7, 9]],
  ])('has each row once, sorted by %s in both directions', async (name, ids) => {
    for (const limit of [1, 2, 4, 100]) {
      expect(await idsBy({ [name]: 'ASC' }, limit)).toEqual(ids);
      expect(await idsBy({ [name]: 'DESC' }, limit)).toEqual(ids.toReversed());
    }
  });

  it('has each row once, where identifiers are text', async () => {
    const boxes = dataSource.getRepository(Box).createQueryBuilder('box').innerJoinAndSelect('box.shelf', 'shelf');
    const first = await readPage(boxes, { id: 'DESC' }, { limit: 3 });
    const second = await readPage(boxes, { id: 'DESC' }, { limit: 3, after: String(first.nextAfter) });
    const letters = [...first.items, ...second.items].map(({ id, shelf }) => `${id}${shelf.id}`);
    expect([letters, second.nextAfter]).toEqual([['d1', 'c1', 'b1', 'a1'], undefined]);
  });

  it.each(['2026-11-03 12:00:00', ...(onPostgres ? ['infinity', '-infinity'] : [])])(
    'has a next page after the time %s',
    async (time) => {
      const label = `made at ${time}`;
      for (let n = 0; n < 2; n += 1) {
        const { id } = await dataSource.getRepository(Shelf).save({ ...shelfAt(0), label });
        await dataSource.query(`UPDATE "shelves" SET "made_at" = '${time}' WHERE "id" = ${id}`);
      }
      try {
        expect(await idsBy({ madeAt: 'ASC' }, 1, shelves().where({ label }))).toHaveLength(2);
      } finally {
        await dataSource.getRepository(Shelf).delete({ label });
      }
    },
  );

  it('keeps the filters of its query on every page, alternatives too', async () => {
    const query = shelves().where('shelf.label = :label', { label: 'Food' }).orWhere('shelf.size = 0');
    expect(await idsBy({ id: 'ASC' }, 1, query)).toEqual([2, 6, 7, 8]);
    expect(await idsBy({ label: 'DESC' }, 1, query)).toEqual([8, 7, 2, 6]);
  });

  it('has the rows that its filters fix the first columns of an index for, in every form of filters', async () => {
    const crates = dataSource.getRepository(Crate);
    for (const [at, floor] of [2, 1, 2, 1, 2, 1].entries())
      await crates.insert({ room: at < 4 ? 'a' : 'b', floor, material: 'wood' });
    const all = (await crates.find()).toSorted((one, other) => (named(one) < named(other) ? -1 : 1));
    const builder = () => crates.createQueryBuilder('crate');
    const inA = all.filter(({ room }) => room === 'a').map(named);
    const onTwo = inA.filter((name) => name.startsWith('2'));
    const upstairs = { floor: MoreThan(1) };
    const lists: [SelectQueryBuilder<Crate>, PageOrder<Crate>, string[]][] = [
      [builder().where({ room: 'a' }), { floor: 'ASC' }, inA],
      [builder().where({ room: 'a' }), { floor: 'DESC' }, inA.toReversed()],
      [builder().where({ room: 'a', floor: 2 }), { id: 'ASC' }, onTwo],
      [builder().where({ floor: 2 }).andWhere({ room: 'a' }), { id: 'DESC' }, onTwo.toReversed()],
      [builder().where({ room: 'a', floor: 2 }), { floor: 'DESC' }, onTwo.toReversed()],
      [builder().where('crate.room = :r', { r: 'a' }).andWhere('crate.floor = :f', { f: 2 }), { id: 'ASC' }, onTwo],
      [builder().where({ room: 'a' }).andWhere('(crate.floor = 2 OR crate.floor = 7)'), { floor: 'ASC' }, onTwo],
      [builder().where({ room: 'a' }).andWhere(upstairs), { floor: 'ASC' }, onTwo],
      [builder().where([{ room: 'a' }, { room: 'b' }]), { floor: 'ASC' }, all.map(named)],
      [builder().where({ room: 'a' }).orWhere({ room: 'b' }), { floor: 'ASC' }, all.map(named)],
      [builder().where({ room: 'nowhere', floor: 2 }), { id: 'ASC' }, []],
    ];
    for (const [index, [query, order, expected]] of lists.entries())
      expect([index, (await rowsBy(query, order, 1)).map(named)]).toEqual([index, expected]);
    const forged = readPage(builder(), { id: 'ASC' }, { limit: 1, after: cursor('no uuid') });
    await expect(forged).rejects.toMatchObject({ code: 'validation_failed' });
    const byMaterial = readPage(builder(), { material: 'ASC' }, { limit: 1 });
    await expect(byMaterial).rejects.toThrow('material of Crate must be an integer');
  });

  it('refuses orders that it cannot keep', async () => {
    const page = { limit: 2 };
    const joined = shelves().leftJoin('shelf.boxes', 'box').where('shelf.id = 0');
    const refused: [PageOrder<Shelf>, string, SelectQueryBuilder<Shelf>?][] = [
      [{ size: 'ASC', id: 'ASC' }, 'must be sorted by one property'],
      [{}, 'must be sorted by one property'],
      [{ note: 'ASC' }, 'note of Shelf must be an integer, a text or a date, and not nullable'],
      [{ isOpen: 'ASC' }, 'isOpen of Shelf must be an integer'],
      [{ boxes: 'ASC' }, 'boxes of Shelf must be an integer'],
      [{ id: 'ASC' }, 'joins repeat rows', joined],
    ];
    for (const [order, words, query = shelves()] of refused)
      await expect(readPage(query, order, page)).rejects.toThrow(words);
  });
});

describe('a cursor', () => {
  it.each<[string, PageOrder<Shelf>, string]>([
    ['text', { size: 'ASC' }, 'x'],
    ['an identifier where the list is sorted otherwise', { size: 'ASC' }, '5'],
    ['one of fewer columns', { size: 'ASC' }, cursor('5')],
    ['one of more columns', { size: 'ASC' }, cursor('5', '5', '5')],
    ['one with another type', { size: 'ASC' }, cursor('five', '5')],
    ['one beyond int64', { size: 'ASC' }, cursor('9223372036854775808', '5')],
    ['one without a value that every row has', { size: 'ASC' }, cursor(null, '5')],
    ['one with a value that is not text', { size: 'ASC' }, cursor(5, 5)],
    ['one with an impossible identifier', { size: 'ASC' }, cursor('5', '5.5')],
    ['one with a number that is no integer', { size: 'ASC' }, cursor('Infinity', '5')],
    ['no list', { size: 'ASC' }, Buffer.from('{"length":2}').toString('base64url')],
    ['text that no database stores', { label: 'ASC' }, cursor('a\0', '5')],
    ['an identifier beyond int64', { id: 'ASC' }, '9223372036854775808'],
  ])('is refused if it is %s', async (_, order, after) => {
    const message = 'after must be as in the Link header of the previous page.';
    await expect(read(order, after)).rejects.toMatchObject({ code: 'validation_failed', message });
  });

  it.each(['2026-02-30 12:00:00', '2026-11-03 25:00:00', '2026-11-03 12:00:00+99', '0000-01-01', 'now', ''])(
    'is never an error of the database: %j as a date',
    async (value) => {
      const [outcome] = await Promise.allSettled([read({ madeAt: 'ASC' }, cursor(value, '5'))]);
      const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'validation_failed' }) };
      // SQLite stores dates as text.
      expect(outcome).toMatchObject(onPostgres ? refused : { status: 'fulfilled' });
    },
  );

  it('stays valid when its row is gone', async () => {
    const extra = await dataSource.getRepository(Shelf).save({ ...shelfAt(8), size: '8' });
    const { nextAfter } = await readPage(shelves(), { size: 'ASC' }, { limit: 6 });
    const all = await idsBy({ size: 'ASC' }, 9);
    expect(all[5]).toBe(extra.id);
    await dataSource.getRepository(Shelf).delete(extra.id);
    const { items } = await read({ size: 'ASC' }, String(nextAfter));
    expect(items.map(({ id }) => id)).toEqual(all.slice(6, 8));
  });
});

describe('a page over HTTP', () => {
  it('links to the next one, with its filters', async () => {
    const first = await get('?limit=1&label=Food&sort=size');
    const next = nextPage(first) ?? '';
    expect(next).toMatch(/^\/v1\/shelves\?limit=1&sort=size&label=Food&after=[\w-]+$/);
    const second = await service.request(next, { key });
    expect([await first.json(), await second.json()]).toEqual([[{ id: 7, label: 'Food' }], [{ id: 2, label: 'Food' }]]);
    expect(second.headers.get('link')).toBeNull();
  });

  it('encodes what a filter has in its link', async () => {
    const label = 'Food & toys, 50%';
    await dataSource.getRepository(Shelf).insert({ ...shelfAt(4), size: '1' });
    const next = nextPage(await get(`?limit=1&label=${encodeURIComponent(label)}`)) ?? '';
    expect(next).toBe('/v1/shelves?limit=1&sort=id&label=Food%20%26%20toys%2C%2050%25&after=5');
    expect(await (await service.request(next, { key })).json()).toEqual([{ id: expect.any(Number), label }]);
  });

  it.each(['after=%20', 'after=5&sort=size', 'after=x', 'after=', 'after=1&after=2'])(
    'is 400 for a bad cursor, which is named: %s',
    async (query) => {
      const message = expect.stringMatching(/^after must be /);
      expect(await errorOf(await get(`?${query}`))).toEqual({ status: 400, code: 'validation_failed', message });
    },
  );
});
