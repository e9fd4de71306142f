import { Body, Controller, Get, Injectable, Module, Post, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { BeforeCommit, onCommit, Public, RequireScope, sendCreated, sendPage } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

const LARGE = 9_007_199_254_740_993n;

class Note {
  @IsString()
  text!: string;
}

/** Routes of a team that uses what Nest and JavaScript offer. */
@ApiExcludeController()
@Controller('edges')
class EdgesController {
  @Post('large')
  @RequireScope('pets:write')
  large(): object {
    return { id: 1, large: LARGE };
  }

  @Post('created')
  @RequireScope('pets:write')
  created(@Res({ passthrough: true }) reply: FastifyReply) {
    return sendCreated(reply, '/v1/edges', { id: 'a/b', large: LARGE } as { id: unknown });
  }

  @Get()
  @RequireScope('pets:read')
  list(@Res({ passthrough: true }) reply: FastifyReply) {
    return sendPage(reply, '/v1/edges', {}, { items: [{ id: LARGE }], nextAfter: undefined });
  }

  @Post('notes')
  @RequireScope('pets:write')
  note(@Body() { text }: Note): object {
    return { text };
  }

  @Get('closed')
  @Public()
  closed(): never {
    throw new ServiceUnavailableException('closed');
  }
}

const heard: string[] = [];

@Injectable()
class Listener {
  @BeforeCommit('pet.changed')
  @BeforeCommit('pet.removed')
  async hear({ name, before, after }: { name: string; before: unknown; after: unknown }): Promise<void> {
    heard.push(name);
    if (JSON.stringify([before, after]).includes('fails after commit')) {
      onCommit(() => {
        throw new Error('on purpose');
      });
    }
  }
}

@Module({ controllers: [EdgesController], providers: [Listener, { provide: 'alias', useExisting: Listener }] })
class EdgesModule {}

shareApp({ extensions: [{ module: EdgesModule }] }, AMPLE);

const post = (path: string, headers: Record<string, string> = {}, body = '{}') =>
  service.request(`/v1/edges/${path}`, { key, method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });

describe('a bigint that a handler returns', () => {
  it('has all its digits', async () => {
    const response = await post('large');
    expect([response.status, await response.text()]).toEqual([201, `{"id":1,"large":${LARGE}}`]);
  });

  it('has all its digits in pages and in new resources, whose address is encoded', async () => {
    expect(await (await service.request('/v1/edges', { key })).text()).toBe(`[{"id":${LARGE}}]`);
    const created = await post('created');
    expect(created.headers.get('location')).toBe('/v1/edges/a%2Fb');
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await created.text()).toBe(`{"id":"a/b","large":${LARGE}}`);
  });
});

describe('a text of a DTO with the rules of class-validator', () => {
  it.each(['\\u0000', 'a\\ud800b'])('returns 400 if no database can store it: %s', async (text) => {
    expect(await errorOf(await post('notes', {}, `{"text":"${text}"}`))).toMatchObject({
      status: 400,
      message: 'text must be without U+0000 and lone surrogates.',
    });
  });
});

describe("an exception of Nest's", () => {
  it('has Retry-After if its status is 503', async () => {
    const response = await service.request('/v1/edges/closed', { key });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});

describe('a listener of @BeforeCommit()', () => {
  it('listens to all its events, once each, and a failing callback after the commit changes nothing', async () => {
    const path = (await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}')).headers.get('location') ?? '';
    expect((await service.request(path, { key })).status).toBe(200);
    const changed = await service.request(path, {
      key,
      method: 'PATCH',
      headers: JSON_TYPE,
      body: '{"name":"fails after commit"}',
    });
    expect(changed.status).toBe(200);
    expect(await (await service.request(path, { key })).json()).toHaveProperty('name', 'fails after commit');
    expect((await service.request(path, { key, method: 'DELETE' })).status).toBe(204);
    expect(heard).toEqual(['pet.changed', 'pet.removed']);
  });
});
