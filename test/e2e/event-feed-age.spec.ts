// @postgres: old events are deleted by other statements.
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventRetention } from '../../src/database/events/delivery/event-retention.js';
import { FakeClock } from '../support/app.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { nextPage } from '../support/pages.js';

const KEPT_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;
const SCOPES = ['pets:read', 'pets:write', 'events:read'];
const clock = new FakeClock(Date.now());

shareApp({ clock }, { ...AMPLE, scopes: SCOPES });
// On SQLite, nothing is deleted by age before.
beforeAll(() => clock.advanceMs(HOUR_MS));

const read = (path: string, headers = {}) => service.request(path, { key, headers });
const subjectsOf = async (page: Response) =>
  ((await page.json()) as { subject: string }[]).map(({ subject }) => subject);
const next = (page: Response) => nextPage(page) ?? '';
/** Creates pets whose events have some ages. @returns their subjects */
const create = async (...agesMs: readonly number[]) => {
  const subjects: string[] = [];
  for (const ageMs of agesMs) {
    const subject = `pet:${await newPet()}`;
    await service.database.query(
      `UPDATE "event_log" SET "at" = ${clock.nowMs() - ageMs} WHERE "subject" = '${subject}'`,
    );
    subjects.push(subject);
  }
  return subjects;
};
const deleteOld = () => service.app.get(EventRetention).run();
beforeEach(async () => {
  await service.database.query('UPDATE "event_log" SET "at" = 0');
  await deleteOld();
});
const cursorAt = (place: number) => Buffer.from(`${place}-${clock.nowMs()}`).toString('base64url');
/** Where what is created from now on begins. */
const latest = async () => next(await read('/v1/events?after=latest&limit=1'));

describe('the feed of a service that is older than its events', () => {
  it('is read from its beginning page by page, although the oldest events are about to be deleted', async () => {
    const subjects = await create(KEPT_MS - 2, KEPT_MS - 1, KEPT_MS - HOUR_MS / 2, 0);
    await deleteOld();
    const found: string[] = [];
    for (let path = '/v1/events?types=pet.*&limit=1'; ;) {
      const page = await read(path);
      expect(page.status).toBe(200);
      const [subject] = await subjectsOf(page);
      if (subject === undefined) break;
      found.push(subject);
      path = next(page);
    }
    expect(found).toEqual(subjects);
  });

  it('refuses the cursor of an event that is deleted, because those after it may be', async () => {
    const start = await latest();
    await create(KEPT_MS + 1, KEPT_MS - HOUR_MS / 2);
    const second = next(await read(start));
    expect((await read(second)).status).toBe(200);
    await service.database.query(`UPDATE "event_log" SET "at" = 0 WHERE "id" < (SELECT MAX("id") FROM "event_log")`);
    await deleteOld();
    const refused = await read(second);
    expect([refused.status, await refused.json()]).toEqual([
      410,
      expect.objectContaining({ code: 'event_cursor_expired' }),
    ]);
  });

  it('keeps an old event behind a younger one, whose cursor would miss it', async () => {
    const start = await latest();
    const subjects = await create(KEPT_MS - 1, KEPT_MS + 1);
    await deleteOld();
    const page = await read(start);
    expect([await subjectsOf(page), await subjectsOf(await read(next(page)))]).toEqual(subjects.map((one) => [one]));
    clock.advanceMs(2);
    await deleteOld();
    expect((await read(next(page))).status).toBe(410);
  });

  it('refuses an old cursor at no event, without a wait', async () => {
    const old = Buffer.from(`0-${clock.nowMs() - KEPT_MS}`).toString('base64url');
    // Nor does it take the place of another response that would wait.
    for (let n = 0; n < 6; n += 1)
      expect((await read(`/v1/events?after=${old}`, { Prefer: 'wait=20' })).status).toBe(410);
    const { headers } = await read('/v1/events?after=latest', { Prefer: 'wait=0' });
    expect(headers.get('preference-applied')).toBe('wait=0');
  });

  it('refuses a cursor of a log that a backup has replaced, because what it missed gets the places before it', async () => {
    const after = new URL(await latest(), 'http://x').searchParams.get('after') ?? '';
    const place = Number.parseInt(Buffer.from(after, 'base64url').toString(), 10);
    expect((await read(`/v1/events?after=${cursorAt(place)}`)).status).toBe(200);
    expect((await read(`/v1/events?after=${cursorAt(place + 1)}`)).status).toBe(410);
  });

  it('gives changes of a resource ascending times, also if the clock is set back', async () => {
    const start = await latest();
    const id = await newPet();
    const before = clock.ms;
    clock.ms -= 2 * HOUR_MS;
    await service.json(`/v1/pets/${id}`, { key, method: 'PATCH', body: { name: 'Bea' } });
    clock.ms = before;
    const page = await read(start.replace('limit=1', 'limit=2'));
    const events = (await page.json()) as { createdAt: string }[];
    expect(events.map(({ createdAt }) => createdAt)).toEqual(Array(2).fill(new Date(before).toISOString()));
  });
});
