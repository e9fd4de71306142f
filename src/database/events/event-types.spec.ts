import { describe, expect, it } from '@jest/globals';
import { EventTypes, matches } from './event-types.js';

const declaration = {
  scope: 'toys:read',
  subject: () => 'toy:1',
  data: () => ({}),
  schema: Object,
  example: { subject: 'toy:1', data: {} },
};

describe('the types of events', () => {
  it('have one declaration each', () => {
    const types = new EventTypes();
    types.declare({ ...declaration, types: { 'toy.created': 'A toy was created.', 'toy.lost': 'A toy was lost.' } });
    expect(() => types.declare({ ...declaration, types: { 'toy.lost': 'Again.' } })).toThrow(
      'The event toy.lost is declared twice.',
    );
    expect(types.get('toy.lost')).toMatchObject({ meaning: 'A toy was lost.', scope: 'toys:read' });
    expect(types.matching(['toy.*']).map(({ name }) => name)).toEqual(['toy.created', 'toy.lost']);
  });

  it.each(['toy', 'Toy.lost', 'toy.Lost', 'toy.', '.lost', 'toy.*', 'toy lost.again', `toy.${'a'.repeat(97)}`])(
    'have names that clients can ask for: %s',
    (name) => {
      expect(() => new EventTypes().declare({ ...declaration, types: { [name]: 'A toy was lost.' } })).toThrow(
        `The name of the event ${JSON.stringify(name)} must look like "toy.lost" or "vet-visit.booked", with up to 100`,
      );
    },
  );

  it.each([
    ['toy.made', 'types must not have "toy.made", which stands for no type. Types are toy.lost.'],
    ['t'.repeat(41), 'types must not have a pattern, which stands for no type. Types are toy.lost.'],
  ])('are named if a pattern stands for none, and a short pattern is quoted: %s', (pattern, message) => {
    const types = new EventTypes();
    types.declare({ ...declaration, types: { 'toy.lost': 'A toy was lost.' } });
    expect(() => types.matching(['*', pattern])).toThrow(message);
  });
});

it.each([
  ['toy.lost', true],
  ['toy.*', true],
  ['*', true],
  ['to*', false],
  ['toy', false],
  ['toys.*', false],
  ['t.*', false],
  ['toy.lost.*', false],
])('%s stands for toy.lost: %s', (pattern, isMeant) => {
  expect(matches(pattern, 'toy.lost')).toBe(isMeant);
});
