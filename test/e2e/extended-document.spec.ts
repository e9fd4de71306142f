import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, type PipeTransform, Post, Put, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiProperty,
  ApiPropertyOptional,
  getSchemaPath,
  type OpenAPIObject,
  type RequestBodyObject,
  type SchemaObject,
} from '@nestjs/swagger';
import { IsArray, IsDateString, IsInt, IsOptional, IsString } from 'class-validator';
import { Operation, OperationGroup, type OperationOptions } from '../../src/index.js';
import { extensionOf } from '../support/extensions.js';
import { addHandlers, taking } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';
import { Contract } from '../openapi/contract.js';
import { fetchDocument, operationNamed } from '../openapi/document.js';
import { service, sharePreparedApp } from '../support/folders.js';

/*
 * What a team declares with the decorators of @nestjs/swagger, in the document.
 */

class AnyPipe implements PipeTransform {
  readonly transform = (value: unknown) => value;
}

class ToysQuery {
  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @IsArray()
  tags?: string[];
}

class Toy {
  @ApiProperty({ type: String })
  @IsString()
  name!: string;
}

class Ball {
  @ApiProperty({ type: String })
  @IsString()
  name!: string;
}

class Plan {
  @ApiProperty({ type: 'integer', format: 'int32' })
  @IsInt()
  count!: number;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 2, maximum: 9 })
  @IsInt()
  bounded!: number;

  @ApiProperty({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true })
  between!: number;

  @ApiProperty({ type: 'number', minimum: 0, exclusiveMinimum: false })
  atLeast!: number;

  @ApiProperty({ type: String, format: 'date-time', maxLength: 40 })
  @IsDateString()
  at!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  @IsDateString()
  until!: string;

  @ApiProperty({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true })
  free!: object;

  @ApiProperty({ type: 'object', properties: { a: { type: 'string' } } })
  fixed!: object;

  @ApiProperty({ type: () => [Plan] })
  parts!: Plan[];
}

const operation = operationsOf('toys:use', 'A toy');

@ApiExtraModels(Ball, Toy)
@OperationGroup('Toys', 'Toys for pets.')
@Controller('toys')
class ToysController {}

/** A ball that has more: whatever its parts declare. */
const COMBINED = {
  allOf: [
    { $ref: getSchemaPath(Ball) },
    {
      type: 'object',
      properties: {
        size: { type: 'number', minimum: 0, exclusiveMinimum: true },
        inner: { type: 'object', properties: { deep: { type: 'string' } } },
      },
    },
  ],
};
const TITLED = { title: 'Toy', allOf: [{ $ref: getSchemaPath(Plan) }, { type: 'object' }] };
const TOY = { success: { status: 200, description: 'A toy.', type: Toy } };
const TOYS: Pick<OperationOptions, 'success'> = {
  success: { status: 201, description: 'Toys.', type: [Toy], listName: 'Toys' },
};
const oddlyNamed = taking([Query('filter[status]'), String], [Query('[]'), String]);

addHandlers(ToysController, {
  list: [Get(), Operation(operation('listToys')), taking([Query(), ToysQuery])],
  old: [Get('old'), Operation(operation('listOldToys')), oddlyNamed],
  lost: [Get('lost'), Operation(operation('listLostToys')), oddlyNamed],
  plan: [Put('plan'), Operation(operation('planToys')), taking([Body(), Plan])],
  combine: [
    Put('combined'),
    Operation(operation('combineToys')),
    ApiBody({ schema: COMBINED }),
    taking([Body(AnyPipe), Object]),
  ],
  replace: [Put(), Operation(operation('replaceToy', TOY)), taking([Body(), Toy])],
  replaceLast: [Put('last'), Operation(operation('replaceLastToy')), taking([Body(), Toy])],
  create: [Post(), Operation(operation('createToys', TOYS)), ApiOkResponse({ schema: TITLED })],
});

let document: OpenAPIObject;
let contract: Contract;
sharePreparedApp({ extensions: [extensionOf({ controllers: [ToysController] })] }, async () => {
  document = await fetchDocument(service);
  contract = new Contract(document);
});

const schemaOf = (name: string) => document.components?.schemas?.[name];

/** What the schema of a request body says against a value. */
function bodyFaults(id: string, value: unknown): string[] {
  const { content } = operationNamed(document, id).operation.requestBody as RequestBodyObject;
  return contract.schemaFaults(content['application/json']?.schema ?? { not: {} }, value);
}

it('an operation of an extension is under the heading of its controller', () => {
  expect(document.tags).toContainEqual({ name: 'Toys', description: 'Toys for pets.' });
  expect(operationNamed(document, 'listToys').operation.tags).toEqual(['Toys']);
});

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

describe('a schema of an extension', () => {
  it('keeps declared formats and bounds, in the form of OpenAPI 3.1', () => {
    const { properties } = schemaOf('Plan') as SchemaObject;
    expect(properties).toMatchObject({ at: { maxLength: 40 }, until: { type: 'string', format: 'date-time' } });
    expect(properties?.['until']).not.toHaveProperty('maxLength');
    expect([properties?.['count'], properties?.['bounded'], properties?.['between'], properties?.['atLeast']]).toEqual([
      { type: 'integer', format: 'int32' },
      { type: 'integer', format: 'int32', minimum: 2, maximum: 9 },
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 5 },
      { type: 'number', minimum: 0 },
    ]);
  });

  it('refuses unknown fields of bodies, unless it declares them', () => {
    expect(schemaOf('Plan')).toMatchObject({
      properties: { free: { additionalProperties: true }, fixed: { additionalProperties: false } },
      additionalProperties: false,
    });
  });

  it('accepts the fields of all its parts', () => {
    const whole = { name: 'ball', size: 3, inner: { deep: 'x' } };
    expect(bodyFaults('combineToys', whole)).toEqual([]);
    expect(bodyFaults('combineToys', { ...whole, size: 0 })).not.toEqual([]);
    expect(bodyFaults('combineToys', { size: 3 })).not.toEqual([]);
    expect(bodyFaults('replaceToy', { name: 'ball' })).toEqual([]);
    expect(bodyFaults('replaceToy', { name: 'ball', color: 'red' })).not.toEqual([]);
  });

  it('keeps its name, even if a response has it as a title', () => {
    expect(schemaOf('Toy')).toMatchObject({ type: 'object', properties: { name: { type: 'string' } } });
    const { responses } = operationNamed(document, 'createToys');
    expect(responses['200']?.content?.['application/json']?.schema).toMatchObject({ title: 'Toy' });
    expect(responses['201']?.content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Toys' });
    expect(schemaOf('Toys')).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Toy' } });
  });
});
