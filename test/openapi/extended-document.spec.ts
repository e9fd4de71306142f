import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiPropertyOptional, type OpenAPIObject } from '@nestjs/swagger';
import { IsArray, IsOptional } from 'class-validator';
import { Operation, type OperationOptions } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { fetchDocument, operationNamed } from './document.js';

/*
 * What a team declares with the decorators of @nestjs/swagger, in the document.
 */

class ToysQuery {
  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray()
  tags?: string[];
}

const operation = (id: string): OperationOptions => ({
  id,
  summary: 'A toy',
  scope: 'toys:use',
  stability: 'experimental',
  success: { status: 200, description: 'A toy.' },
  errors: [],
});

@Controller('toys')
class ToysController {
  @Get()
  @Operation(operation('listToys'))
  list(@Query() { tags = [] }: ToysQuery): object {
    return tags;
  }

  @Get('old')
  @Operation(operation('listOldToys'))
  old(@Query('filter[status]') status: string, @Query('[]') other: string): object {
    return { status, other };
  }

  @Get('lost')
  @Operation(operation('listLostToys'))
  lost(@Query('filter[status]') status: string, @Query('[]') other: string): object {
    return { status, other };
  }
}

@Module({ controllers: [ToysController] })
class ToysModule {}

let service: TestApp;
let document: OpenAPIObject;

beforeAll(async () => {
  service = await startApp({ extensions: [{ module: ToysModule }] });
  document = await fetchDocument(service);
});
afterAll(() => service.stop());

describe('a parameter of an extension', () => {
  it('that is a list is documented as repeated, as Nest reads it, unless it has commas', async () => {
    const key = await service.key({ scopes: ['toys:use'] });
    expect((await service.request('/v1/toys?tags=a&tags=b', { key })).status).toBe(200);
    expect((await service.request('/v1/toys?tags=a,b', { key })).status).toBe(400);
    expect(operationNamed(document, 'listToys').parameters).toEqual([
      { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
    ]);
    expect(operationNamed(document, 'listPets').parameters).toContainEqual(
      expect.objectContaining({ name: 'ids', explode: false }),
    );
  });

  it('is shared under a valid name', () => {
    const parameters = document.components?.parameters ?? {};
    expect(parameters['FilterStatus']).toMatchObject({ name: 'filter[status]' });
    expect(Object.keys(parameters).filter((name) => !/^[a-zA-Z0-9._-]+$/.test(name))).toEqual([]);
  });
});
