import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiParamOptions } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { isCanonicalId } from '../validation/index.js';
import { petNotFound } from './pet-not-found.js';

/** Hands a handler the identifier in the path as decimal digits; no pet has any other, so the rest is 404. */
export const PetId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { petId } = context.switchToHttp().getRequest<FastifyRequest<{ Params: { petId: string } }>>().params;
  if (!isCanonicalId(petId)) throw petNotFound(petId);
  return petId;
});

export const PET_ID_PARAM: ApiParamOptions = {
  name: 'petId',
  description: "The animal's identifier.",
  schema: { type: 'integer', format: 'int64', minimum: 1, example: 1 },
};
