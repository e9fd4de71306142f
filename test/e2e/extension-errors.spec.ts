import { describe, expect, it } from '@jest/globals';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  type MiddlewareConsumer,
  Module,
  type NestMiddleware,
  type NestModule,
  Param,
  Post,
  UnauthorizedException,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER, BaseExceptionFilter } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { Public, RequireScope } from '../../src/index.js';
import { errorOf, expectTrio } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

const FAILED = 'The service failed to process this request.';

const THROWN = (): Record<string, unknown> => ({
  printer: new PrinterError(),
  gone: Object.assign(new Error('It is gone.'), { expose: true, status: 410, statusCode: 410 }),
  hidden: Object.assign(new Error('/etc/secret'), { expose: false, status: 404, statusCode: 404 }),
  broken: Object.assign(new Error('disk 7'), { expose: false, status: 500, statusCode: 500 }),
  upstream: Object.assign(new Error('from another service'), { statusCode: 404 }),
  object: { statusCode: 422, message: 'It cannot be read.' },
  custom: new HttpException({ status: 403, error: 'This is a custom message' }, 403),
  list: new HttpException({ message: ['one', 'two'] }, 400),
  details: new HttpException([{ property: 'name', errors: ['is taken'] }], 400),
});

/** Responds as Nest does to an exception with a status. */
@Catch(HttpException)
class StatusFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.status(exception.getStatus()).send({ seen: exception.getResponse() });
  }
}

@Catch()
class AnyFilter extends BaseExceptionFilter {}

class PrinterError extends Error {}

@Catch(PrinterError)
class PrinterFilter implements ExceptionFilter {
  catch(_error: PrinterError, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(502).send({ printer: 'away' });
  }
}

class Note {
  @IsString()
  text!: string;
}

@ApiExcludeController()
@Controller('failures')
class FailuresController {
  @Get('thrown/:kind')
  @Public()
  fail(@Param('kind') kind: string): never {
    throw THROWN()[kind];
  }

  @Post('filtered')
  @RequireScope('pets:write')
  @UseFilters(StatusFilter)
  filtered(@Body() note: Note): Note {
    return note;
  }

  @Post('any')
  @RequireScope('pets:write')
  @UseFilters(AnyFilter)
  any(@Body() note: Note): Note {
    return note;
  }

  @Get('closed')
  @RequireScope('pets:read')
  closed(): string {
    return 'open';
  }

  @Get('closed-later')
  @RequireScope('pets:read')
  closedLater(): string {
    return 'open';
  }
}

class ClosedMiddleware implements NestMiddleware {
  use(): void {
    throw new UnauthorizedException('It is closed.');
  }
}

class ClosedLaterMiddleware implements NestMiddleware {
  async use(): Promise<void> {
    throw new UnauthorizedException('It is closed.');
  }
}

@Module({
  controllers: [FailuresController],
  providers: [{ provide: APP_FILTER, useClass: PrinterFilter }],
})
class FailuresModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(ClosedMiddleware).forRoutes('failures/closed');
    consumer.apply(ClosedLaterMiddleware).forRoutes('failures/closed-later');
  }
}

shareApp({ extensions: [{ module: FailuresModule }] }, AMPLE);

const get = (path: string) => service.request(`/v1/failures/${path}`, { key });
const post = (path: string) =>
  service.request(`/v1/failures/${path}`, { key, method: 'POST', headers: JSON_TYPE, body: '{"text":1}' });

describe('an error that a handler throws', () => {
  it.each([
    ['of http-errors keeps its status', 'gone', 410, 'gone', 'It is gone.'],
    ['of http-errors can hide its message', 'hidden', 404, 'not_found', 'Not Found'],
    ['of http-errors that is a failure tells nothing', 'broken', 500, 'internal_error', FAILED],
    ['of a client of another service tells nothing', 'upstream', 500, 'internal_error', FAILED],
    ['can be an object with a status', 'object', 422, 'unprocessable_content', 'It cannot be read.'],
    ['of Nest can have an object with `error`', 'custom', 403, 'forbidden', 'This is a custom message'],
    ['of Nest can have a list of messages', 'list', 400, 'validation_failed', 'one; two'],
    ['of Nest can have details', 'details', 400, 'validation_failed', 'Http Exception'],
  ])('%s', async (_title, kind, status, code, message) => {
    expect(await errorOf(await get(`thrown/${kind}`))).toEqual({ status, code, message });
  });
});

describe('an error of middleware', () => {
  it.each(['closed', 'closed-later'])('is the response, with the headers of every response: %s', async (path) => {
    const response = await get(path);
    expectTrio(response);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(await errorOf(response)).toEqual({ status: 401, code: 'unauthorized', message: 'It is closed.' });
  });
});

describe('a filter of a route', () => {
  it('gets the errors of the service as exceptions of Nest', async () => {
    const response = await post('filtered');
    const seen = { status: 400, code: 'validation_failed', message: 'text must be a string.' };
    expect([response.status, await response.json()]).toEqual([400, { seen }]);
  });

  it('that extends the one of Nest sends the Error object', async () => {
    const expected = { status: 400, code: 'validation_failed', message: 'text must be a string.' };
    expect(await errorOf(await post('any'))).toEqual(expected);
  });
});

describe('a filter of all routes', () => {
  it('gets the exceptions that it names', async () => {
    const response = await get('thrown/printer');
    expect([response.status, await response.json()]).toEqual([502, { printer: 'away' }]);
  });
});
