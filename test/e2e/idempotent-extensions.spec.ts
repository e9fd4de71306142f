import {
  Body,
  type CallHandler,
  Controller,
  type ExecutionContext,
  HttpCode,
  Module,
  type NestInterceptor,
  Param,
  Post,
  Res,
  UseInterceptors,
} from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { IsInt, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import type { FastifyReply } from 'fastify';
import { map } from 'rxjs';
import { Database, int64Json, Operation, PetsModule, PetsService, Public } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { ask, JSON_TYPE } from '../support/http.js';

/*
 * POSTs of a team that has never heard of Idempotency-Key. Each call that reaches a handler is counted, and those that
 * write add a pet.
 */

const calls = { count: 0 };
const PET = { categoryId: 1 };

class Wrapping implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((wrapped: unknown) => ({ wrapped })));
  }
}

class Part {
  @IsInt()
  size!: number;
}

class Whole {
  @ValidateNested({ each: true })
  @Type(() => Part)
  parts!: Part[];
}

const operation = (id: string, status = 201) =>
  Operation({
    id,
    summary: id,
    scope: 'pets:write',
    stability: 'beta',
    success: { status, description: 'Done.' },
    errors: [],
  });

@Controller('copies')
class CopiesController {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsService,
  ) {}

  @Post('object')
  @operation('copyObject')
  async object() {
    calls.count += 1;
    return {
      pet: await this.pets.create({ ...PET, name: `copy ${calls.count}` }),
      big: int64Json('9223372036854775807'),
    };
  }

  @Post('wrapped')
  @operation('copyWrapped')
  @UseInterceptors(Wrapping)
  wrapped() {
    calls.count += 1;
    return { call: calls.count };
  }

  @Post('accepted')
  @operation('copyAccepted', 202)
  @HttpCode(202)
  accepted(@Res({ passthrough: true }) reply: FastifyReply) {
    calls.count += 1;
    reply.header('x-call', String(calls.count));
  }

  @Post('failing/:times')
  @operation('copyFailing')
  async failing(@Param('times') times: string, @Res({ passthrough: true }) reply: FastifyReply) {
    calls.count += 1;
    reply.header('x-call', String(calls.count));
    await this.database.write(() => this.pets.create({ ...PET, name: 'failing' }));
    if (calls.count <= Number(times)) throw new Error('on purpose');
    return { call: calls.count };
  }

  @Post('nested')
  @operation('copyNested')
  nested(@Body() { parts }: Whole) {
    calls.count += 1;
    return { parts: parts.length };
  }

  @Post('public')
  @Public()
  public() {
    calls.count += 1;
    return { call: calls.count };
  }
}

@Module({ imports: [PetsModule], controllers: [CopiesController] })
class CopiesModule {}

@Controller('manual')
class ManualController {
  @Post()
  @operation('sendManually')
  send(@Res() reply: FastifyReply) {
    void reply.send({ sent: true });
  }
}

@Module({ controllers: [ManualController] })
class ManualModule {}

let service: TestApp;
let key: string;

beforeAll(async () => {
  service = await startApp({ extensions: [{ module: CopiesModule }] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  calls.count = 0;
  key = await service.key();
});

const post = (path: string, body = '{}', idempotencyKey: string | null = 'the key') =>
  ask(service.port, {
    method: 'POST',
    path: `/v1/copies/${path}`,
    key,
    body,
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

describe('a POST of an extension that declares nothing about Idempotency-Key', () => {
  it.each(['object', 'wrapped', 'accepted'])('is processed once, and repeats its response: %s', async (path) => {
    const first = await lasting(await post(path));
    expect(first).toEqual([path === 'accepted' ? 202 : 201, expect.any(String), ...first.slice(2)]);
    expect(await lasting(await post(path))).toEqual(first);
    expect(calls.count).toBe(1);
    expect(await lasting(await post(path, '{}', 'another'))).not.toEqual(first);
    await post(path, '{}', null);
    expect(calls.count).toBe(3);
  });

  it('keeps integers beyond 2^53, and the changes of interceptors to a body', async () => {
    expect((await lasting(await post('object')))[1]).toContain('"big":9223372036854775807');
    expect((await lasting(await post('object')))[1]).toContain('"big":9223372036854775807');
    await post('wrapped', '{}', 'wrapped');
    expect((await lasting(await post('wrapped', '{}', 'wrapped')))[1]).toBe('{"wrapped":{"call":2}}');
  });

  it('writes in the transaction, so a failed one has no effect and can be sent again', async () => {
    const failed = await post('failing/1');
    expect([failed.status, failed.headers.get('x-call')]).toEqual([500, null]);
    expect(failed.headers.has('x-ratelimit-remaining')).toBe(true);
    expect(await petsNamed('failing')).toBe(0);
    expect((await post('failing/1')).status).toBe(201);
    expect((await post('failing/1')).status).toBe(201);
    expect([calls.count, await petsNamed('failing')]).toEqual([2, 1]);
  });

  it('validates nested fields, with and without an Idempotency-Key', async () => {
    for (const idempotencyKey of ['nested', null]) {
      const refusal = await errorOf(await post('nested', '{"parts":[{"size":1},{"size":"x"}]}', idempotencyKey));
      expect(refusal).toMatchObject({
        status: 400,
        message: expect.stringContaining('parts.1.size must be an integer'),
      });
    }
    expect(calls.count).toBe(0);
    expect((await post('nested', '{"parts":[{"size":1}]}', 'nested')).status).toBe(201);
  });

  it('refuses the header without an API key to encrypt the response', async () => {
    const refusal = await errorOf(await post('public'));
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining('without an API key') });
    expect((await post('public', '{}', null)).status).toBe(201);
    expect(calls.count).toBe(1);
  });

  it('is documented with the header', async () => {
    const { paths } = (await (await service.request('/openapi.json')).json()) as {
      paths: Record<string, { post?: { responses: object } }>;
    };
    expect(JSON.stringify(paths['/copies/object']?.post)).toContain('#/components/parameters/IdempotencyKey');
    expect(Object.keys(paths['/copies/object']?.post?.responses ?? {})).toEqual(expect.arrayContaining(['409', '422']));
  });

  it('must return its response, which is checked at the start', async () => {
    await expect(startApp({ extensions: [{ module: ManualModule }] })).rejects.toThrow(
      'ManualController.send: a POST must return its response',
    );
  });
});
