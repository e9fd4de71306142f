import { Controller, Get, HttpException, Module } from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { Operation, type OperationOptions } from '../../src/index.js';

/** Must never reach a client. */
export const SECRET = 'hunter2 at postgres://petstore:hunter2@db.internal/petstore';

const FAULT: Omit<OperationOptions, 'id'> = {
  summary: 'Fail',
  scope: 'pets:read',
  stability: 'experimental',
  success: { status: 200, description: 'Never.' },
  errors: [],
};

/** Fails in every way that the handler of an extension can fail. */
@Controller('faults')
class FaultsController {
  @Get('error')
  @Operation({ ...FAULT, id: 'throwError' })
  error(): never {
    throw new Error(SECRET);
  }

  @Get('text')
  @Operation({ ...FAULT, id: 'throwText' })
  text(): never {
    // eslint-disable-next-line no-throw-literal
    throw SECRET;
  }

  @Get('query')
  @Operation({ ...FAULT, id: 'throwQueryFailed' })
  async query(): Promise<never> {
    throw new QueryFailedError('SELECT hunter2', [SECRET], new Error(SECRET));
  }

  @Get('status')
  @Operation({ ...FAULT, id: 'throwErrorWithStatus' })
  async status(): Promise<never> {
    throw Object.assign(new Error(SECRET), { statusCode: 400, status: 400, code: 'HUNTER2' });
  }

  @Get('circular')
  @Operation({ ...FAULT, id: 'answerCircular' })
  circular(): object {
    const response: Record<string, unknown> = { secret: SECRET };
    response['self'] = response;
    return response;
  }

  @Get('teapot')
  @Operation({ ...FAULT, id: 'throwHttpException' })
  teapot(): never {
    throw new HttpException({ reason: 'short and stout', nested: { status: 200 } }, 418, { cause: new Error(SECRET) });
  }
}

@Module({ controllers: [FaultsController] })
export class FaultsModule {}
