import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { onPostgres, onSharedServer } from '../support/databases.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, service, sharePreparedApp } from '../support/folders.js';
import { NOTES } from '../support/notes.module.js';
import { until } from '../support/until.js';

let key: string;
sharePreparedApp({ extensions: [NOTES] }, async () => {
  key = await service.key(AMPLE);
});

async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const file = join(service.folder, 'petstore.sqlite');
  if (onPostgres) await onSharedServer(service.folder).refuseConnections();
  else renameSync(file, `${file}.moved`);
  try {
    await work();
  } finally {
    if (onPostgres) await onSharedServer(service.folder).allowConnections();
    else renameSync(`${file}.moved`, file);
  }
}

const list = () => service.request('/v1/notes', { key });
const create = (petId: number) => service.post('/v1/notes', key, JSON.stringify({ text: `about ${petId}`, petId }));
const rename = (petId: number) =>
  service.post(`/v1/notes/${petId}/renaming`, key, JSON.stringify({ text: 'Nala', petId }));

describe('repositories of an extension', () => {
  it('throw DomainError while the database is unavailable, and work again when it is back', async () => {
    const created = await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
    const { id } = (await created.json()) as { id: number };
    expect((await list()).status).toBe(200);
    await withoutDatabase(async () => {
      for (const response of [await list(), await create(id), await rename(id)]) {
        expect(response.headers.get('retry-after')).toBe('1');
        expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
      }
    });
    await until(async () => (await list()).status === 200);
    expect((await create(id)).status).toBe(200);
    expect(await (await list()).json()).toHaveLength(1);
  });
});
