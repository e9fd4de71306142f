import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post, Put } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiProperty } from '@nestjs/swagger';
import { Public, RequireScope } from '../../src/auth/access.decorators.js';
import { Operation, OperationGroup, type OperationOptions } from '../../src/openapi/operation.decorator.js';
import { fetchDocument, operationsOf } from './document.js';
import { routeFaults, routesOf } from './route-faults.js';
import { service, sharePreparedApp } from '../support/folders.js';

class Toy {
  @ApiProperty({ type: String })
  name!: string;
}

const LIST_TOYS: OperationOptions = {
  id: 'listToys',
  summary: 'List toys',
  scope: 'pets:read',
  stability: 'beta',
  success: { status: 200, description: 'The toys.', type: [Toy], examples: { 'One toy': [{ name: 'ball' }] } },
  errors: [],
};

@OperationGroup('Toys', 'Toys for pets.')
@Controller('toys')
class ToysController {
  @Get()
  @Operation(LIST_TOYS)
  complete(): void {}

  @Get('bare')
  @RequireScope('pets:read')
  @ApiExcludeEndpoint()
  bare(): void {}

  @Get('open')
  @Public()
  open(): void {}

  @Post()
  @Operation({ ...LIST_TOYS, id: 'createToy', scope: 'toys:write' })
  unknownScope(): void {}

  @Put()
  @Operation({ ...LIST_TOYS, id: 'replaceToys', success: { status: 200, description: 'The toys.', type: Toy } })
  noExample(): void {}
}

@Module({ controllers: [ToysController] })
class ToysModule {}

describe('the routes of the service', () => {
  sharePreparedApp();

  it('each declare their access, their stability and their documentation', async () => {
    expect(routeFaults(routesOf(service.app), await fetchDocument(service))).toEqual([]);
  });

  it('are those of the document, except for public ones', async () => {
    const documented = operationsOf(await fetchDocument(service)).map(({ method, path }) => `${method} ${path}`);
    const routes = routesOf(service.app).map(({ method, path }) => `${method} ${path}`);
    expect(documented).toEqual(expect.arrayContaining(['get /pets', 'post /pets', 'get /pets/{petId}']));
    expect(routes.toSorted()).toEqual(
      [...documented, 'get /health/live', 'get /health/ready', 'get /metrics'].toSorted(),
    );
  });
});

describe('a route of an extension with missing declarations', () => {
  let faults: string[];
  sharePreparedApp({ extensions: [{ module: ToysModule }] }, async () => {
    faults = routeFaults(routesOf(service.app), await fetchDocument(service));
  });

  const of = (name: string) =>
    faults
      .filter((fault) => fault.startsWith(`ToysController.${name} `))
      .map((fault) => fault.slice(fault.indexOf(' ') + 1));

  it('is reported with everything that is missing', () => {
    expect(of('bare')).toEqual([
      'declares no stability',
      'is not in the document',
      'declares no operationId',
      'lacks a summary or a description',
      'is under no heading',
      'documents no success',
      'does not document 400',
      'does not document 401',
      'does not document 403',
      'does not document 429',
      'does not document 431',
      'does not document 500',
      'does not document 503',
    ]);
  });

  it('is reported if one declaration is missing', () => {
    expect(of('unknownScope')).toEqual(['asks for the unknown scope toys:write']);
    expect(of('noExample')).toEqual(['has no example of success']);
  });

  it('is not reported if nothing is missing', () => {
    expect([...of('complete'), ...of('open')]).toEqual([]);
  });

  it('has the heading of its controller in the document', async () => {
    const { tags } = await fetchDocument(service);
    expect(tags).toContainEqual({ name: 'Toys', description: 'Toys for pets.' });
  });
});
