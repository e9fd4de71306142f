import { get, type Step, type Story } from '../step.js';

const times = (count: number, ...steps: Step[]) => Array.from({ length: count }, () => steps).flat();

const poor = get('/v1/pets?limit=1', { key: '<poor>' });
const usage = get('/v1/usage', { key: '<poor>' });

export const LIMITS: readonly Story[] = [
  {
    name: 'a plan that is exhausted, and a key that goes on',
    steps: [
      usage,
      ...times(4, poor, usage),
      { ...poor, waitSeconds: 59 },
      { ...poor, waitSeconds: 1 },
      ...times(6, poor, usage),
      { ...poor, waitSeconds: 60 },
      ...times(7, poor, usage),
      { ...poor, at: '2026-12-31T23:59:59.999Z' },
      ...times(3, poor),
      { ...usage, at: '2027-01-01T00:00:00Z' },
      poor,
    ],
  },
  {
    name: 'usage of a plan',
    steps: [
      get('/v1/usage', { key: '<pro>' }),
      get('/v1/pets/x', { key: '<pro>' }),
      get('/v1/usage', { key: '<pro>' }),
      get('/v1/usage?x=1', { key: '<pro>' }),
      ...['?interval=hour', '?by=key', '?by=operation', '?by=outcome', ''].map((query) =>
        get(`/v1/usage/history${query}`, { key: '<pro>' }),
      ),
      get('/v1/usage/history?from=2027-01-02T00:00:00Z&to=2027-01-03T00:00:00Z', {
        key: '<pro>',
        at: '2027-01-03T12:00:00Z',
      }),
      get('/v1/usage/history?from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z', { key: '<pro>' }),
    ],
  },
];
