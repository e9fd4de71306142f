import {
  type CallHandler,
  ClassSerializerInterceptor,
  Controller,
  type ExecutionContext,
  HttpCode,
  Logger,
  type NestInterceptor,
  Param,
  Post,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Throttle } from '@nestjs/throttler';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Exclude } from 'class-transformer';
import { map } from 'rxjs';
import { Database, Idempotent, int64Json, Operation, PetsModule, PetsService, Public } from '../../src/index.js';
import { startApp, trio } from '../support/app.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { JSON_TYPE } from '../support/http.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { addHandlers, returning } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

/*
 * Operations of a team, of which all but one are marked with @Idempotent(). Each call that reaches a handler is counted, and
 * those that write add a pet.
 */

const calls = { count: 0 };
/** What a handler takes by the clock of the test. */
const passed = { ms: 0 };
const PET = { categoryId: 1 };

class Wrapping implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((wrapped: unknown) => ({ wrapped })));
  }
}

class Reviewer {
  readonly name = 'Ada';

  @Exclude()
  readonly password = 'secret';
}

const optionsOf = operationsOf('pets:write', 'A copy');
const operation = (id: string, status = 201) => Operation(optionsOf(id, { success: { status, description: 'Done.' } }));

@Controller('copies')
class CopiesController {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsService,
  ) {}

  @Post('object')
  @Idempotent()
  @operation('copyObject')
  async object() {
    calls.count += 1;
    return {
      pet: await this.pets.create({ ...PET, name: `copy ${calls.count}` }),
      big: int64Json('9223372036854775807'),
      large: 9_007_199_254_740_993n,
    };
  }

  @Post('failing/:times')
  @operation('copyFailing')
  @Idempotent()
  async failing(@Param('times') times: string) {
    calls.count += 1;
    await this.database.write(() => this.pets.create({ ...PET, name: 'failing' }));
    if (calls.count <= Number(times)) throw new Error('on purpose');
    return { call: calls.count };
  }
}

const counted = () => ({ call: (calls.count += 1) });

addHandlers(CopiesController, {
  wrapped: [Post('wrapped'), operation('copyWrapped'), Idempotent(), UseInterceptors(Wrapping), returning(counted)],
  accepted: [
    Post('accepted'),
    operation('copyAccepted', 202),
    Idempotent(),
    HttpCode(202),
    returning((reply) => void reply.header('x-call', String(counted().call))),
  ],
  slow: [Post('slow'), operation('copySlow'), Idempotent(), returning(() => ({ ms: (passed.ms += 1_001) }))],
  throttled: [
    Post('throttled'),
    operation('copyThrottled'),
    Idempotent(),
    Throttle({ default: { limit: 5, ttl: 60_000 } }),
    returning(() => ({})),
  ],
  file: [Post('file'), operation('copyFile'), Idempotent(), returning(() => new StreamableFile(Buffer.from('file')))],
  unmarked: [Post('unmarked'), operation('copyUnmarked'), returning(counted)],
  public: [Post('public'), Public(), Idempotent(), returning(counted)],
});

@Controller('reviewers')
class Reviewers {
  @Post()
  @operation('createReviewer')
  @Idempotent()
  create(): Reviewer {
    return new Reviewer();
  }
}

@UseInterceptors(ClassSerializerInterceptor)
@Controller('serialized')
class SerializedReviewers extends Reviewers {}

let key: string;
sharePreparedApp({
  extensions: [extensionOf({ imports: [PetsModule], controllers: [CopiesController, SerializedReviewers] })],
});
beforeEach(async () => {
  calls.count = 0;
  key = await service.key();
});

const post = (path: string, idempotencyKey: string | null = 'the key', at = service, as = key) =>
  at.request(`/v1/${path}`, {
    method: 'POST',
    key: as,
    body: '{}',
    headers: { ...JSON_TYPE, ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }) },
  });
const lasting = async (response: Response) => [
  response.status,
  await response.text(),
  response.headers.get('content-type'),
  response.headers.get('x-call'),
];
const petsNamed = async (name: string) => {
  const pets = (await (await service.request('/v1/pets?limit=100', { key })).json()) as { name: string }[];
  return pets.filter((pet) => pet.name === name).length;
};

describe('an operation with @Idempotent()', () => {
  it.each(['object', 'wrapped', 'accepted'])('is processed once, and repeats its response: %s', async (path) => {
    const first = await lasting(await post(`copies/${path}`));
    expect(first).toEqual([path === 'accepted' ? 202 : 201, expect.any(String), ...first.slice(2)]);
    expect(await lasting(await post(`copies/${path}`))).toEqual(first);
    expect(calls.count).toBe(1);
    expect(await lasting(await post(`copies/${path}`, 'another'))).not.toEqual(first);
    await post(`copies/${path}`, null);
    expect(calls.count).toBe(3);
  });

  it('keeps integers beyond 2^53, and the changes of interceptors to a body', async () => {
    for (const _ of ['first', 'second'])
      expect((await lasting(await post('copies/object')))[1]).toMatch(
        /"big":9223372036854775807,"large":9007199254740993}$/,
      );
    for (const _ of ['first', 'second'])
      expect((await lasting(await post('copies/wrapped', 'wrapped')))[1]).toBe('{"wrapped":{"call":2}}');
  });

  it('writes in the transaction, so a failed one has no effect and can be sent again', async () => {
    const failed = await post('copies/failing/1');
    expect(failed.status).toBe(500);
    expect(failed.headers.has('x-ratelimit-remaining')).toBe(true);
    expect(await petsNamed('failing')).toBe(0);
    expect((await post('copies/failing/1')).status).toBe(201);
    expect((await post('copies/failing/1')).status).toBe(201);
    expect([calls.count, await petsNamed('failing')]).toEqual([2, 1]);
  });

  it('returns an error, and does nothing, if its response is a file', async () => {
    expect(await (await post('copies/file', null)).text()).toBe('file');
    expect(await errorOf(await post('copies/file'))).toMatchObject({ status: 500 });
  });

  it('shows the limits of the repeated request', async () => {
    const [first, second] = [trio(await post('copies/throttled')), trio(await post('copies/throttled'))];
    const third = trio(await service.request('/v1/pets', { key }));
    expect([first.limit, second]).toEqual([5, { ...third, remaining: Number(third.remaining) + 1 }]);
  });

  it('is logged if it takes more than a second, because other requests may wait for it', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const startMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => startMs + passed.ms);
    await post('copies/accepted');
    await post('copies/slow', null);
    expect(warned).not.toHaveBeenCalled();
    await post('copies/slow', 'slow');
    clock.mockRestore();
    const message = expect.stringContaining('move outgoing calls out of it');
    expect(warned.mock.calls).toEqual([[{ message, method: 'POST', route: '/v1/copies/slow', durationMs: 1_001 }]]);
    warned.mockRestore();
  });

  it('is documented with the header, its errors, and that of repeated responses', async () => {
    const document = await fetchDocument(service);
    const { operation: documented, responses } = operationNamed(document, 'copyObject');
    expect(JSON.stringify(documented)).toContain('#/components/parameters/IdempotencyKey');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '422']));
    expect(responses['201']?.headers).toHaveProperty(['Idempotent-Replayed']);
    expect(JSON.stringify(operationNamed(document, 'copyUnmarked'))).not.toContain('Idempoten');
  });

  it.each(['unmarked', 'public'])('ignores the header without @Idempotent() or an API key: %s', async (path) => {
    for (const count of [1, 2]) expect(await (await post(`copies/${path}`)).json()).toEqual({ call: count });
  });
});

describe('a serializer removes secrets from first and repeated responses', () => {
  it('of a controller', async () => {
    for (const _ of ['first', 'second']) expect(await (await post('serialized')).text()).toBe('{"name":"Ada"}');
  });

  it('of the application', async () => {
    const global = await startApp({
      extensions: [extensionOf({ controllers: [Reviewers] })],
      configure: (app) => void app.useGlobalInterceptors(new ClassSerializerInterceptor(app.get(Reflector))),
    });
    const as = await global.key();
    for (const _ of ['first', 'second'])
      expect(await (await post('reviewers', 'the key', global, as)).text()).toBe('{"name":"Ada"}');
    await global.stop();
  });
});
