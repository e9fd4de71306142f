import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { onPostgres } from '../support/databases.js';
import { AMPLE, service as bounded, sharePreparedApp } from '../support/folders.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';

let key: string;
sharePreparedApp({ extensions: [NOTES], env: { DATABASE_TRANSACTION_TIMEOUT_MS: '300' } }, async () => {
  key = await bounded.key(AMPLE);
});

describe('a transaction that does not end', () => {
  it.each(['forgotten', 'released'])('is rolled back if it is %s, and does not block others for long', async (how) => {
    const runner = bounded.app.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.manager.insert(NoteEntity, { text: how });
    if (how === 'released') await runner.release();
    const created = await bounded.post('/v1/pets', key, '{"name":"x","categoryId":1}');
    expect(created.status).toBe(201);
    // On PostgreSQL nothing else waits for it.
    if (how === 'forgotten') await delay(600);
    await expect(runner.manager.insert(NoteEntity, { text: 'late' })).rejects.toBeInstanceOf(Error);
    expect(await notesOf(bounded).count()).toBe(0);
    await runner.release();
  });

  it('fails as unavailable for later statements', async () => {
    const given = bounded.app.get(DataSource).transaction(async (manager) => {
      await manager.insert(NoteEntity, { text: 'slow' });
      await delay(600);
      await manager.insert(NoteEntity, { text: 'too late' });
    });
    await expect(given).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await notesOf(bounded).count()).toBe(0);
  });

  it('releases its connection, any number of times', async () => {
    for (let n = 0; n < 12; n++) {
      const runner = bounded.app.get(DataSource).createQueryRunner();
      await runner.query('SELECT 1');
    }
    await delay(onPostgres ? 600 : 0);
    expect(await notesOf(bounded).count()).toBe(0);
    expect((await bounded.post('/v1/pets', key, '{"name":"x","categoryId":1}')).status).toBe(201);
  });
});
