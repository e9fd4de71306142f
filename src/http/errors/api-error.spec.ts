import { expect, it } from '@jest/globals';
import { HttpException, NotFoundException } from '@nestjs/common';
import { errorObject } from '../../platform/errors/error-codes.js';
import { ApiError } from './api-error.js';
import { toProblem } from './api-exception.filter.js';

const LOST = { code: 'toy_lost', status: 409, meaning: 'The toy is lost.' };

it.each([
  [new ApiError(LOST, ''), 'The toy is lost.'],
  [new NotFoundException(''), 'Not Found'],
  [new HttpException(' ', 418), 'i_m_a_teapot'],
])('an exception without a message has one in its response: %s', (exception, message) => {
  expect(errorObject(toProblem(exception))).toMatchObject({ message });
});
