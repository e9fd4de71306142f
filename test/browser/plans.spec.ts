import { describe, expect, it } from '@jest/globals';
import { type Limits, PLANS } from '../../src/auth/keys/plan.js';
import { CounterStore } from '../../src/rate-limit/counter-store.js';
import type { Decision } from '../../src/rate-limit/windows/decision.js';
import { FakeClock } from '../support/app.js';
import { useScreen } from '../support/browser.js';
import { open, page, service, shareBrowser } from '../support/browser-bench.js';
import { callerOf } from '../support/callers.js';

const DAY_MS = 86_400_000;

const clock = new FakeClock();
let clients = 0;
shareBrowser({ clock });

/**
 * Lets a client with a new key send requests to the counters of the service for a UTC day.
 * @param pace requests that it sends a minute
 */
function liveADay(limits: Limits, pace: number, waits: boolean): { admitted: number; usedUpAt: number | undefined } {
  const counters = service.app.get(CounterStore);
  clients += 1;
  const caller = callerOf({ keyId: `key ${clients}`, accountId: 1_000 + clients, plan: 'free', limits });
  const midnightMs = Math.ceil(clock.ms / DAY_MS) * DAY_MS;
  let admitted = 0;
  let usedUpAt: number | undefined;
  for (let [start, sent] = [0, 0]; ; sent += 1) {
    const seconds = start + (sent * 60) / pace;
    if (seconds >= 86_400) return { admitted, usedUpAt };
    clock.ms = midnightMs + seconds * 1000;
    const decision = counters.admit(caller) as Decision;
    if (decision.outcome === 'admitted') admitted += 1;
    else if (waits) [start, sent] = [Math.floor(seconds) + decision.retryAfterSeconds, -1];
    if (admitted === limits.perDay) usedUpAt ??= seconds;
  }
}

function inWords(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const words = () => page.locator('figcaption').textContent();

describe('the example errors', () => {
  it('are those that the service returns', async () => {
    // As in the page's examples: the service refuses a request 18 s after the first request of the minute.
    clock.set('2026-11-21T11:59:42Z');
    const key = await service.key({ plan: 'pro' });
    await Promise.all(Array.from({ length: 300 }, () => service.request('/v1/pets', { key })));
    clock.set('2026-11-21T12:00:00Z');
    const response = await service.request('/v1/pets', { key });
    await open('/docs/plans');
    const shown = (await page.locator('pre').first().textContent()) ?? '';
    const [head = '', body = ''] = shown.split('\n\n');
    expect(await response.text()).toBe(body);
    for (const line of head.split('\n').slice(1)) {
      const [name = '', value = ''] = line.split(': ');
      expect([name, response.headers.get(name)]).toEqual([name, value]);
    }
  });
});

const swatch = () =>
  page.evaluate<string>(`getComputedStyle(document.querySelector('.legend .limited'), '::before').backgroundColor`);

describe('the cards and the legends', () => {
  it('lie in full rows on every screen, and keep their colours in forced colours', async () => {
    await open('/docs/plans');
    for (const [width, columns] of [
      [390, 1],
      [768, 2],
      [1280, 4],
    ] as const) {
      await useScreen(page, { width });
      const tops = await page
        .locator('.plans li')
        .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top));
      expect(tops).toHaveLength(4);
      expect([width, new Set(tops).size]).toEqual([width, 4 / columns]);
    }
    await page.locator('.legend').first().waitFor();
    const colour = await swatch();
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await swatch()).toBe(colour);
  });
});

const drawnWidth = () => page.evaluate<number>(`document.querySelector('.picture svg').clientWidth`);

const resize = (width: string) => page.evaluate(`document.querySelector('.picture').style.width = '${width}'`);

describe('the picture', () => {
  it('is drawn once there is room for it', async () => {
    await open('/docs/plans');
    await page.locator('.picture svg').first().waitFor();
    for (const width of ['0px', '30px']) await resize(width);
    // Observers run before the second animation frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await resize('400px');
    await page.locator('.picture svg[width="400"]').first().waitFor();
    expect(await drawnWidth()).toBe(400);
  });

  it.each([
    { pace: 180, waits: false },
    { pace: 180, waits: true },
  ])('shows what the service does with $pace requests a minute (waits: $waits)', async ({ pace, waits }) => {
    await open('/docs/plans');
    const seconds = 240;
    const drawn = await page.evaluate<{ perSecond: { admitted: number; limited: number; banned: number }[] }>(
      `import('/docs/assets/current/plans/simulation.js').then(({ simulate }) => simulate(${JSON.stringify({ ...PLANS.free, pace, waits, seconds })}))`,
    );
    expect(drawn.perSecond).toHaveLength(seconds);
    const key = await service.key({ plan: 'free' });
    for (const [second, { admitted, limited, banned }] of drawn.perSecond.entries()) {
      const codes = { admitted: 0, rate_limit_exceeded: 0, api_key_banned: 0 };
      for (let request = 0; request < admitted + limited + banned; request += 1) {
        const response = await service.request('/v1/pets', { key });
        const { code = 'admitted' } = response.ok ? {} : ((await response.json()) as { code: keyof typeof codes });
        codes[code] += 1;
      }
      expect({ second, ...codes }).toEqual({
        second,
        admitted,
        rate_limit_exceeded: limited,
        api_key_banned: banned,
      });
      clock.advanceSeconds(1);
    }
  });

  it.each([
    { plan: 'free', share: 300, waits: false },
    { plan: 'free', share: 75, waits: false },
    { plan: 'free', share: 300, waits: true },
    { plan: 'pro', share: 200, waits: false },
  ] as const)('tells how long the day of $plan lasts at $share % (waits: $waits)', async ({ plan, share, waits }) => {
    await open('/docs/plans');
    await page.getByLabel(plan, { exact: false }).check();
    await page.getByLabel('Requests per minute').fill(String(share));
    await page.getByLabel('The client waits').setChecked(waits);
    const { admitted, usedUpAt } = liveADay(PLANS[plan], (PLANS[plan].perMinute * share) / 100, waits);
    expect(await words()).toContain(
      usedUpAt === undefined
        ? `only ${admitted.toLocaleString('en')} of the ${PLANS[plan].perDay.toLocaleString('en')} requests`
        : `requests of the UTC day last ${inWords(usedUpAt)}`,
    );
  });

  it('follows the settings of plan, pace and patience, also by keyboard', async () => {
    await open('/docs/plans');
    await page.locator('.picture svg').first().waitFor();
    expect(await words()).toContain('used up after 20 s');
    expect(await words()).toContain('banned after 39 s');
    await page.getByLabel('Free').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByLabel('Pro').isChecked()).toBe(true);
    expect(await words()).toContain('The 300 requests of the minute');
    await page.getByLabel('The client waits').focus();
    await page.keyboard.press('Space');
    expect(await words()).not.toContain('banned');
    await page.getByLabel('Requests per minute').focus();
    await page.keyboard.press('Home');
    expect(await words()).toContain('75 requests a minute are within the 300 of Pro');
    expect(await page.locator('.picture .limited[width]').count()).toBe(1);
  });
});
