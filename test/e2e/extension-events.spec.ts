import { expect, it, jest } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { type CommittedEvent, Database, Events, EventsModule, OnLoggedEvent } from '../../src/index.js';
import { extensionOf } from '../support/extensions.js';
import { AMPLE, key, newPet, service, shareApp } from '../support/folders.js';
import { until } from '../support/until.js';

/*
 * What listeners of an extension can rely on, as with those of other packages of Nest.
 */

class Toy {
  readonly parts = ['wheel'];

  constructor(readonly name: string) {}

  get isLost(): boolean {
    return this.name === 'Ball';
  }

  shout(): string {
    return `${this.name}!`;
  }
}

type Raised = { readonly after: Toy | readonly Toy[] };

const heard: unknown[] = [];
const logged: string[] = [];

@Injectable()
class Listener {
  @OnEvent('toy.lost')
  late({ after }: Raised): void {
    heard.push(after);
  }

  @OnLoggedEvent('pet.*', { name: 'pets' })
  @OnLoggedEvent('category.*', { name: 'categories' })
  note({ name }: CommittedEvent): void {
    logged.push(name);
  }
}

shareApp({ extensions: [extensionOf({ imports: [EventsModule], providers: [Listener] })] }, AMPLE);

const raise = (after: Raised['after']) =>
  service.app.get(Database).write(async (manager) => {
    const events = service.app.get(Events, { strict: false });
    // A name that the types do not know.
    await events.raise(manager, 'toy.lost' as 'pet.created', () => ({ before: undefined, after }) as never);
  });

it('a listener gets a copy of a state with the methods of its class', async () => {
  const ball = new Toy('Ball');
  await raise(ball);
  await until(() => heard.length === 1);
  expect(heard).toEqual([ball]);
  const [copy] = heard.splice(0) as Toy[];
  expect([copy === ball, copy?.shout(), copy?.isLost]).toEqual([false, 'Ball!', true]);
});

it('a listener gets a list as a list', async () => {
  const toys = [new Toy('Ball'), new Toy('Car')];
  await raise(toys);
  await until(() => heard.length === 1);
  const [copy] = heard.splice(0) as Toy[][];
  expect([Array.isArray(copy), copy === toys, copy]).toEqual([true, false, toys]);
});

it('a method can listen to the log under several names', async () => {
  await service.json('/v1/categories', { key, body: { name: 'Dogs' } });
  await newPet();
  await until(() => logged.length === 2);
  expect(logged.toSorted()).toEqual(['category.created', 'pet.created']);
});

it('an event can have any number of listeners', () => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  for (let n = 0; n < 11; n += 1) service.record('toy.found');
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
