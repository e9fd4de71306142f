import { ConflictException, Controller, Get, HttpException, Module } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { Operation } from '../../src/index.js';
import { addHandlers, returning, throwing } from './handlers.js';
import { operationsOf } from './operations.js';

/** Must never reach a client. */
export const SECRET = 'hunter2 at postgres://petstore:hunter2@db.internal/petstore';

const operation = operationsOf('pets:read', 'Fail');

const withStatus = () => Object.assign(new Error(SECRET), { statusCode: 400, status: 400, code: 'HUNTER2' });
const teapot = () =>
  new HttpException({ reason: 'short and stout', nested: { status: 200 } }, 418, { cause: new Error(SECRET) });
const circular: Record<string, unknown> = { secret: SECRET };
circular['self'] = circular;

/** Fails in every way that the handler of an extension can fail. */
@Controller('faults')
class FaultsController {}

addHandlers(FaultsController, {
  error: [Get('error'), Operation(operation('throwError')), throwing(() => new Error(SECRET))],
  text: [Get('text'), Operation(operation('throwText')), throwing(() => SECRET)],
  query: [
    Get('query'),
    Operation(operation('throwQueryFailed')),
    throwing(() => new QueryFailedError('SELECT hunter2', [SECRET], new Error(SECRET))),
  ],
  status: [Get('status'), Operation(operation('throwErrorWithStatus')), throwing(withStatus)],
  circular: [Get('circular'), Operation(operation('answerCircular')), returning(() => circular)],
  teapot: [Get('teapot'), Operation(operation('throwHttpException')), throwing(teapot)],
  long: [Get('long'), Operation(operation('throwLong')), throwing(() => new ConflictException('x'.repeat(2_001)))],
});

@Module({ controllers: [FaultsController] })
export class FaultsModule {}
