import { ClassSerializerInterceptor, Controller, Get, Module, Post, UseInterceptors } from '@nestjs/common';
import { APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import { Exclude } from 'class-transformer';
import { Public, RequireScope } from '../../src/index.js';
import { startApp } from '../support/app.js';
import { HEAD, refusalOf, refusalOfController } from '../support/extension-refusals.js';
import { ask, JSON_TYPE } from '../support/http.js';

class Reviewer {
  readonly name = 'Ada';

  @Exclude()
  readonly password = 'secret';
}

class OwnSerializer extends ClassSerializerInterceptor {}

@ApiExcludeController()
@Controller('reviewers')
class Reviewers {
  @Post()
  @RequireScope('pets:write')
  create(): Reviewer {
    return new Reviewer();
  }
}

@ApiExcludeController()
@Controller('reviewers')
class SerializedReviewers {
  @Post()
  @RequireScope('pets:write')
  @UseInterceptors(ClassSerializerInterceptor)
  create(): Reviewer {
    return new Reviewer();
  }

  @Post('public')
  @Public()
  createPublic(): Reviewer {
    return new Reviewer();
  }

  @Get()
  @RequireScope('pets:read')
  get(): Reviewer {
    return new Reviewer();
  }
}

@Module({ controllers: [Reviewers] })
class ReviewersModule {}

@Module({ controllers: [SerializedReviewers] })
class SerializedModule {}

@Module({
  controllers: [Reviewers],
  providers: [{ provide: APP_INTERCEPTOR, useFactory: () => new OwnSerializer(new Reflector()) }],
})
class GlobalModule {}

const useGlobally = (app: NestFastifyApplication) => {
  app.useGlobalInterceptors(new ClassSerializerInterceptor(app.get(Reflector)));
};
const fault = (name: string, serializer: string) =>
  `${name}: ${serializer} runs after the response for an Idempotency-Key is stored, so repeated responses would have ` +
  'what it removes. Add it to the handler with @UseInterceptors().';

describe('a serializer that would not change repeated responses keeps the service from starting', () => {
  it.each([OwnSerializer, new OwnSerializer(new Reflector())])('on a controller with a POST', async (serializer) => {
    @UseInterceptors(serializer)
    class Controlled extends Reviewers {}
    expect(await refusalOfController(Controlled)).toEqual([HEAD, fault('Controlled.create', 'OwnSerializer')]);
  });

  it('on the application', async () => {
    expect(await refusalOf({ module: ReviewersModule }, { configure: useGlobally })).toEqual([
      HEAD,
      fault('Reviewers.create', 'ClassSerializerInterceptor'),
    ]);
  });

  it('as a provider of APP_INTERCEPTOR', async () => {
    expect(await refusalOf({ module: GlobalModule })).toEqual([HEAD, fault('Reviewers.create', 'OwnSerializer')]);
  });
});

describe('a serializer of a handler and of the application', () => {
  it('excludes fields from first and repeated responses', async () => {
    const service = await startApp({ extensions: [{ module: SerializedModule }], configure: useGlobally });
    const key = await service.key();
    const get = async (options: object = {}) =>
      (await ask(service.port, { path: '/v1/reviewers', key, ...options })).text();
    const post = () => get({ method: 'POST', headers: { ...JSON_TYPE, 'Idempotency-Key': 'once' }, body: '{}' });
    expect([await post(), await post(), await get()]).toEqual(Array(3).fill('{"name":"Ada"}'));
    await service.stop();
  });
});
