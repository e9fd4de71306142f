// @postgres: rows have other places there, and errors of the database end transactions.
import { expect, it } from '@jest/globals';
import { Retention } from '../../src/accounts/retention.js';
import { EventRetention } from '../../src/database/events/delivery/event-retention.js';
import { RecordExpiry } from '../../src/http/idempotency/idempotency.module.js';
import { FakeClock } from '../support/app.js';
import { queryDatabase } from '../support/databases.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { protectRows, unprotectRows } from '../support/protected-rows.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** More than a run looks at. */
const MANY = 1_100;

const clock = new FakeClock();
sharePreparedApp({ clock });

const sql = (text: string) => queryDatabase(service.folder, text);
const rows = (count: number, rowOf: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => `(${rowOf(n)})`).join();

const left = async () => (await sql('SELECT 1 FROM "idempotency_records"')).length;
const run = () => service.app.get(RecordExpiry).run();

it('rows that cannot be deleted, however many, keep none of the others', async () => {
  clock.advanceMs(HOUR_MS);
  const columns = '"account_id", "idempotency_key", "fingerprint", "sealed_answer", "expires_at"';
  await sql(`INSERT INTO "idempotency_records" (${columns}) VALUES ${rows(MANY + 100, (n) => `${n}, 'k', '', '', 0`)}`);
  await protectRows(service.folder, 'idempotency_records', 'DELETE', `"account_id" < ${MANY}`);
  for (let times = 0; times < 3; times += 1) await expect(run()).rejects.toThrow('failed');
  expect(await left()).toBe(MANY);
  await unprotectRows(service.folder, 'idempotency_records');
  for (let times = 0; times < 2; times += 1) await run();
  expect(await left()).toBe(0);
});

it.each([
  [
    'event_log',
    EventRetention,
    30,
    '"event_id", "type", "account_id", "subject", "data"',
    `'e', 'pet.created', 1, 'pet:1', '{}'`,
  ],
  ['audit_records', Retention, 365, '"actor", "action", "account_id", "detail"', `'', 'key.created', 1, '{}'`],
] as const)(
  'rows of %s that a clock ahead wrote keep none of the others',
  async (table, task, days, columns, values) => {
    clock.advanceMs(HOUR_MS);
    const [ahead, old] = [clock.nowMs() + DAY_MS, clock.nowMs() - days * DAY_MS - HOUR_MS];
    for (const [count, at] of [
      [MANY, ahead],
      [3, old],
      [1, clock.nowMs()],
    ] as const)
      await sql(`INSERT INTO "${table}" ("at", ${columns}) VALUES ${rows(count, () => `${at}, ${values}`)}`);
    await service.app.get<{ run(): Promise<void> }>(task).run();
    const times = await sql(`SELECT DISTINCT "at" FROM "${table}" WHERE "at" IN (${ahead}, ${old})`);
    expect(times.map((row) => Number(Object.values(row)[0]))).toEqual([ahead]);
  },
);
