import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Injectable, Post, Scope } from '@nestjs/common';
import { Column, Entity, JoinTable, ManyToMany, PrimaryColumn } from 'typeorm';
import {
  BeforeCommit,
  type EventDeclaration,
  Events,
  EventsModule,
  type Extension,
  Operation,
} from '../../src/index.js';
import { fetchDocument } from '../openapi/document.js';
import { startApp, type TestApp } from '../support/app.js';
import { extensionOf, TestMigration } from '../support/extensions.js';
import { addHandlers, returning } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';

/*
 * What an extension declares, and the service refuses or has in its document.
 */

const operation = operationsOf('toys:read', 'A toy');
const created = { success: { status: 201, description: 'A toy.' } };

let service: TestApp | undefined;

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

const start = async (extension: Extension) => (service = await startApp({ extensions: [extension] }));
const refusalOf = async (extension: Extension) => {
  const [outcome] = await Promise.allSettled([start(extension)]);
  return outcome.status === 'rejected' ? (outcome.reason as Error).message.split('\n  ') : ['The service started.'];
};
/** Has a provider that declares events in its constructor. */
const declaring = (name: string, scope: string) => {
  const declaration = {
    types: { [name]: 'A toy was lost.' },
    scope,
    subject: () => 'toy:1',
    data: () => ({}),
    schema: Object,
    example: { subject: 'toy:1', data: {} },
  } as unknown as EventDeclaration;
  @Injectable()
  class Toys {
    constructor(events: Events) {
      events.declare(declaration);
    }
  }
  return extensionOf({ imports: [EventsModule], providers: [Toys] });
};

const error = (code: string, status: number) => ({ code, status, meaning: 'A toy is broken.' });

describe('an error code of an extension', () => {
  it('has the form that the document promises, and the status of an error', async () => {
    const errorCodes = ['Toy Broken', 'toy42', '', 'a'.repeat(65)].map((code) => error(code, 409));
    const statuses = [200, 302, 399, 600, 400.5].map((status) => error('toy_broken', status));
    expect(await refusalOf(extensionOf({}, { errorCodes: [...errorCodes, ...statuses.slice(0, 1)] }))).toEqual([
      'The extensions are not valid:',
      ...errorCodes.map(
        ({ code }) =>
          `The error code ${JSON.stringify(code)} must have at most 64 letters from a to z, in words as in "visits_full".`,
      ),
      'The error code toy_broken has the status 200. It must be from 400 to 599.',
    ]);
    for (const one of statuses)
      expect(await refusalOf(extensionOf({}, { errorCodes: [one] }))).toContain(
        `The error code toy_broken has the status ${one.status}. It must be from 400 to 599.`,
      );
  });
});

describe('an event of an extension', () => {
  it('has a scope that keys can have, also if no operation has it', async () => {
    const app = await start(declaring('toy.lost', 'toys:trace'));
    expect(await app.key({ scopes: ['toys:trace'] })).toMatch(/^psk_/);
    const { components = {} } = await fetchDocument(app);
    expect(components.schemas?.['ApiKeyScope']).toMatchObject({ enum: expect.arrayContaining(['toys:trace']) });
  });

  it('keeps the service from starting if no key can have its scope', async () => {
    expect(await refusalOf(declaring('toy.lost', 'Nobody'))).toEqual([
      'The extensions are not valid:',
      'The event toy.lost: No key can have the scope "Nobody": scopes look like "pets:read".',
    ]);
  });

  it.each([Scope.TRANSIENT, Scope.REQUEST])('has no listener whose provider has another scope: %s', async (scope) => {
    @Injectable({ scope })
    class Ledger {
      @BeforeCommit('pet.created')
      record(): void {}
    }
    expect(await refusalOf(extensionOf({ imports: [EventsModule], providers: [Ledger] }))).toEqual([
      'The extensions are not valid:',
      'Ledger listens to events with record, so it must have the default scope.',
    ]);
  });
});

it('an operation can have a path below /v1 that the service has outside of it, with another method', async () => {
  @Controller()
  class MetricsController {}
  addHandlers(MetricsController, {
    add: [Post('metrics'), Operation(operation('addMetric', created)), returning(() => ({}))],
    get: [Get('health'), Operation(operation('getHealth')), returning(() => ({}))],
  });
  const app = await start(extensionOf({ controllers: [MetricsController] }));
  const key = await app.key({ scopes: ['toys:read'] });
  expect((await app.post('/v1/metrics', key, {})).status).toBe(201);
  expect((await app.request('/v1/health', { key })).status).toBe(200);
  expect((await app.request('/metrics')).status).toBe(200);
});

@Entity({ name: 'toy_tags' })
class ToyTag {
  @PrimaryColumn({ type: 'text' })
  name!: string;
}

@Entity({ name: 'tagged_toys' })
class TaggedToy {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  note!: string;

  @ManyToMany(() => ToyTag)
  @JoinTable({ name: 'toys_and_tags' })
  tags!: ToyTag[];
}

class CreateToys1795305600000 extends TestMigration {
  readonly statements = () => [
    'CREATE TABLE "toy_tags" ("name" TEXT NOT NULL PRIMARY KEY)',
    'CREATE TABLE "tagged_toys" ("name" TEXT NOT NULL PRIMARY KEY, "note" TEXT NOT NULL)',
  ];
}

it('an entity is refused whose join table no migration made', async () => {
  const parts = { entities: [ToyTag, TaggedToy], migrations: [CreateToys1795305600000] };
  expect(await refusalOf(extensionOf({}, parts))).toEqual([
    'The extensions are not valid:',
    expect.stringMatching(/^toys_and_tags: the database has no table "toys_and_tags". Add a migration for it, /),
  ]);
});

it('a module that does not start is reported, also if its stop never ends', async () => {
  @Injectable()
  class Printer {
    onModuleInit(): never {
      throw new Error('The printer is away.');
    }

    onModuleDestroy(): Promise<never> {
      return new Promise<never>(() => undefined);
    }
  }
  expect(await refusalOf(extensionOf({ providers: [Printer] }))).toEqual(['The printer is away.']);
});
