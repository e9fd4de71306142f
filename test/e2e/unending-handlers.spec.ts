// @postgres: the transaction ends with its connection there.
import { Controller, Param, Post, Res } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import type { Repository } from 'typeorm';
import { Idempotent, Operation, sendCreated } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';
import { NoteEntity, NOTES, notesOf } from '../support/notes.module.js';
import { operationsOf } from '../support/operations.js';
import { isRefused, until } from '../support/until.js';

/** Lets late handlers go on, and counts those that have. */
const late = { by: Promise.withResolvers<void>(), count: 0 };
const operation = operationsOf('pets:write', 'A note');

@Controller('unending')
class UnendingController {
  constructor(@InjectRepository(NoteEntity) private readonly notes: Repository<NoteEntity>) {}

  @Post(':end')
  @Idempotent()
  @Operation(operation('createUnending', { success: { status: 201, description: 'Never.' } }))
  async create(@Param('end') end: string, @Res({ passthrough: true }) reply: FastifyReply) {
    try {
      const saved = await this.notes.save({ text: 'rolled back', pet: null });
      if (end === 'never') await new Promise(() => undefined);
      if (end.startsWith('refused')) await until(() => isRefused(() => this.notes.count()));
      else await late.by.promise;
      if (end.endsWith('error')) throw new Error('late, on purpose');
      return sendCreated(reply, '/v1/unending', saved);
    } finally {
      late.count += 1;
    }
  }
}

const UNENDING = extensionOf({ imports: [TypeOrmModule.forFeature([NoteEntity])], controllers: [UnendingController] });

shareApp({
  extensions: [NOTES, UNENDING],
  env: { DATABASE_TRANSACTION_TIMEOUT_MS: '300' },
  configure: (app) => {
    const server = app.getHttpAdapter().getInstance();
    server.addHook('onSend', async ({ headers }, _reply, payload) => {
      if (headers['x-slow'] !== undefined) await until(() => late.count > 0);
      return payload;
    });
  },
});

const unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', note).on('uncaughtException', note));
afterAll(() => void process.off('unhandledRejection', note).off('uncaughtException', note));
beforeEach(() => {
  late.by = Promise.withResolvers();
  late.count = 0;
});

const post = (end: string, added: Record<string, string> = {}) =>
  service.request(`/v1/unending/${end}`, {
    method: 'POST',
    key,
    body: '{}',
    headers: { ...JSON_TYPE, 'Idempotency-Key': end, ...added },
  });

it.each(['never', 'late', 'late-error', 'refused', 'refused-error'])(
  'a handler that outlasts its transaction gets 503, each time, and what it responds later changes nothing: %s',
  async (end) => {
    for (const count of [1, 2]) {
      const response = await post(end);
      for (const name of ['location', 'etag']) expect(response.headers.has(name)).toBe(false);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await errorOf(response)).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(await notesOf(service).count()).toBe(0);
      late.by.resolve();
      if (end !== 'never') await until(() => late.count === count);
      late.by = Promise.withResolvers();
      expect((await service.request('/v1/pets', { key })).status).toBe(200);
    }
    expect(unhandled).toEqual([]);
  },
);

it.each(['refused', 'refused-error'])(
  'a second response while the first is on its way is not sent: %s',
  async (end) => {
    expect(await (await post(end, { 'x-slow': 'yes' })).json()).toMatchObject({ code: 'service_unavailable' });
    expect((await service.request('/v1/pets', { key })).status).toBe(200);
    expect(unhandled).toEqual([]);
  },
);
