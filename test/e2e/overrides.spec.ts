import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { type Caller, Clock, CounterStore, KeyVerifier, PetsService } from '../../src/index.js';
import { startApp, type TestApp } from '../support/app.js';

describe('providers of the service', () => {
  const started: TestApp[] = [];
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
  });

  const start = async (options: Parameters<typeof startApp>[0]) => {
    const one = await startApp(options);
    started.push(one);
    return one;
  };

  it('can be replaced by classes that extend them', async () => {
    class LoudPets extends PetsService {
      override list(...parameters: Parameters<PetsService['list']>): ReturnType<PetsService['list']> {
        seen.push(parameters[0].limit);
        return super.list(...parameters);
      }
    }
    const seen: number[] = [];
    const one = await start({ overrides: [{ provide: PetsService, useClass: LoudPets }] });
    const response = await one.request('/v1/pets?limit=3', { key: await one.key() });
    expect([response.status, await response.json(), seen]).toEqual([200, [], [3]]);
    expect(one.app.get(PetsService)).toBeInstanceOf(LoudPets);
  });

  it('can be replaced by other implementations', async () => {
    const nowMs = Date.parse('2030-01-01T00:00:00.000Z');
    class StoppedClock extends Clock {
      override nowMs(): number {
        return nowMs;
      }
    }
    const decision = {
      outcome: 'admitted',
      limit: 9,
      windowSeconds: 60,
      remaining: 8,
      resetSeconds: nowMs / 1000 + 60,
    } as const;
    @Injectable()
    class OpenHandedStore extends CounterStore {
      readonly admit = () => ({ ...decision, retryAfterSeconds: 0 });
      readonly admitAddress = this.admit;
      readonly peekAddress = this.admit;
      readonly takeFromRoute = this.admit;
      readonly peek = () => {
        throw new Error('is not asked');
      };
    }
    const one = await start({
      overrides: [
        { provide: Clock, useValue: new StoppedClock() },
        { provide: CounterStore, useClass: OpenHandedStore },
      ],
    });
    expect(one.app.get(Clock).nowMs()).toBe(nowMs);
    const response = await one.request('/v1/pets', { key: await one.key() });
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, '8']);
  });

  it('can be replaced to verify keys', async () => {
    const caller: Caller = {
      keyId: 'key_of_partner',
      accountId: 1,
      account: 'partner',
      plan: 'pro',
      limits: { perMinute: 5, perDay: 10 },
      scopes: new Set(['pets:read']),
      bansLiftedAtMs: 0,
    };
    class PartnerVerifier extends KeyVerifier {
      override verify(...[token]: Parameters<KeyVerifier['verify']>): ReturnType<KeyVerifier['verify']> {
        return token === 'partner' ? caller : super.verify(token);
      }
    }
    const one = await start({ overrides: [{ provide: KeyVerifier, useClass: PartnerVerifier }] });
    expect((await one.request('/v1/pets', { key: 'partner' })).headers.get('x-ratelimit-limit')).toBe('5');
    expect((await one.request('/v1/pets', { key: await one.key() })).status).toBe(200);
  });
});
