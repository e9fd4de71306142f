import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Limits, PLANS } from '../../src/auth/keys/plan.js';
import type { Caller } from '../../src/auth/caller.js';
import { CounterStore } from '../../src/rate-limit/counter-store.js';
import type { Decision } from '../../src/rate-limit/windows/decision.js';
import { FakeClock, startApp, type TestApp } from '../support/app.js';
import {
  accessibilityFindings,
  overflow,
  type PageOptions,
  startBrowser,
  type Visit,
  visit,
  SCREENS,
} from '../support/browser.js';
import { queryDatabase } from '../support/databases.js';
import { until } from '../support/until.js';

let clock: FakeClock;
let service: TestApp;
let browser: Browser;
let current: Visit;
let page: Page;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  clock = new FakeClock();
  service = await startApp({ clock });
});
afterEach(async () => {
  await page.context().close();
  await service.stop();
  if (current.errors.length > 0) throw new Error(`The page reported errors: ${current.errors.join('\n')}`);
});

async function open(options: PageOptions = {}, path = '/docs/plans'): Promise<void> {
  current = await visit(browser, options);
  ({ page } = current);
  await page.goto(`${service.origin}${path}`);
}

async function give(key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
}

/**
 * Lets a client with a new key send requests to the counters of the service for a UTC day.
 * @param pace requests that it sends a minute
 */
function liveADay(limits: Limits, pace: number, waits: boolean): { admitted: number; usedUpAt: number | undefined } {
  const counters = service.app.get(CounterStore);
  const caller: Omit<Caller, 'limits'> = {
    keyId: 'key',
    accountId: 1,
    account: 'a',
    plan: 'free',
    scopes: new Set<string>(),
    bansLiftedAtMs: 0,
  };
  const midnightMs = Date.parse('2026-11-22T00:00:00Z');
  let admitted = 0;
  let usedUpAt: number | undefined;
  for (let [start, sent] = [0, 0]; ; sent += 1) {
    const seconds = start + (sent * 60) / pace;
    if (seconds >= 86_400) return { admitted, usedUpAt };
    clock.ms = midnightMs + seconds * 1000;
    const decision = counters.admit({ ...caller, limits }) as Decision;
    if (decision.outcome === 'admitted') admitted += 1;
    else if (waits) [start, sent] = [Math.floor(seconds) + decision.retryAfterSeconds, -1];
    if (admitted === limits.perDay) usedUpAt ??= seconds;
  }
}

function inWords(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Gives the account of the first key a history of two days. */
async function fillHistory(): Promise<void> {
  const [yesterday, today] = [Date.parse('2026-11-20T09:00:00Z') / 1000, Date.parse('2026-11-21T11:00:00Z') / 1000];
  const rows = [
    [yesterday, 'listPets', 'admitted', 1_200],
    [yesterday, 'getPet', 'admitted', 300],
    [yesterday, 'getPet', 'client_error', 1],
    [today, 'listPets', 'admitted', 400],
    [today, 'listPets', 'limited', 60],
    [today, 'listPets', 'banned', 30],
    [today, 'createPet', 'server_error', 7],
  ] as const;
  const values = rows.map(
    ([hour, operation, outcome, requests]) => `(1, ${hour}, 'key', '${operation}', '${outcome}', ${requests})`,
  );
  await queryDatabase(service.folder, `INSERT INTO "usage_history" VALUES ${values.join()}`);
}

const gauge = (name: string) => page.getByRole('group', { name });
const words = () => page.locator('figcaption').textContent();

describe.each(SCREENS)('the page of plans, $width px wide and $colorScheme', (options) => {
  it('fits the screen and has no serious accessibility finding', async () => {
    await open(options);
    await page.locator('.picture svg').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await give(await service.key());
    await fillHistory();
    await page.reload();
    await gauge('This day').waitFor();
    await page.locator('.chart svg').waitFor();
    await page.getByText('Show as a table').click();
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });
});

describe('the picture', () => {
  it('is drawn once there is room for it', async () => {
    await open();
    await page.locator('.picture svg').first().waitFor();
    const resize = (width: string) => page.evaluate(`document.querySelector('.picture').style.width = '${width}'`);
    const drawn = () => page.evaluate<number>(`document.querySelector('.picture svg').clientWidth`);
    for (const width of ['0px', '30px']) await resize(width);
    // Observers run before the second animation frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await resize('400px');
    await page.locator('.picture svg[width="400"]').first().waitFor();
    expect(await drawn()).toBe(400);
  });
});

describe('the cards of the plans', () => {
  it.each([
    [390, 1],
    [768, 2],
    [1280, 4],
  ])('lie in full rows, %i px wide', async (width, columns) => {
    await open({ width });
    const tops = await page
      .locator('.plans li')
      .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top));
    expect(tops).toHaveLength(4);
    expect(new Set(tops).size).toBe(4 / columns);
  });
});

describe('forced colours', () => {
  it('keep the colours of the legends', async () => {
    await open();
    const swatch = () =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('.legend .limited'), '::before').backgroundColor`);
    await page.locator('.legend').first().waitFor();
    const colour = await swatch();
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await swatch()).toBe(colour);
  });
});

describe('the usage of a key', () => {
  it('keeps the focus when the key is shown, refused, or shown again', async () => {
    const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
    await open();
    await page.getByLabel('API key').fill('psk_live_nonsense');
    await page.getByRole('button', { name: 'Show' }).press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await focused()).toBe('key');
    await page.getByLabel('API key').fill(await service.key());
    await page.getByRole('button', { name: 'Show' }).press('Enter');
    await gauge('This minute').waitFor();
    expect(await focused()).toBe('usage');
    await page.getByRole('button', { name: 'Log out' }).focus();
    await page.waitForResponse('**/v1/usage');
    await page.waitForResponse('**/v1/usage');
    expect(await focused()).toBe('Log out');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('key');
  });

  it('has an end of the minute only once the minute has begun', async () => {
    const key = await service.key({ plan: 'pro' });
    await open();
    await give(key);
    await gauge('This minute').getByText('300 of 300 requests left').waitFor();
    expect(await gauge('This minute').getByText('until').count()).toBe(0);
    await service.request('/v1/pets', { key });
    await gauge('This minute').getByText('until').waitFor();
  });

  it('is shown and updated without using quota', async () => {
    const key = await service.key({ plan: 'pro' });
    await open();
    await give(key);
    await gauge('This minute').getByText('300 of 300 requests left').waitFor();
    await service.request('/v1/pets', { key });
    await gauge('This minute').getByText('299 of 300 requests left').waitFor();
    await gauge('This day').getByText('9,999 of 10,000 requests left').waitFor();
    await expect((await service.request('/v1/usage', { key })).json()).resolves.toMatchObject({
      minute: { remaining: 299 },
    });
  });

  it('is that of the key in the API reference, until that key is removed', async () => {
    const key = await service.key({ plan: 'free' });
    await open({}, '/docs');
    await page.locator('.connection').getByRole('button', { name: 'Authorize' }).click();
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('.key-summary').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Plans and usage' }).click();
    await gauge('This minute').getByText('60 of 60 requests left').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.connection .authorize.unlocked').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(key);
  });

  it('shares its key with the API reference', async () => {
    await open();
    await give(await service.key());
    await gauge('This minute').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.connection .authorize.locked').waitFor();
    await page.locator('#operations-Pets-listPets .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-code', { hasText: '200' }).waitFor();
    expect(await overflow(page)).toBe(0);
  });

  it.each([
    ['psk_live_nonsense', 'not valid'],
    ['Schlüssel', 'not an API key'],
  ])('asks for another key instead of %s, which it does not store', async (key, message) => {
    await open();
    await give(key);
    const problem = page.getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).toContain(message);
    expect(await page.evaluate<string | null>("localStorage.getItem('authorized')")).toBeNull();
  });

  it('is shown for a key with any scope, which stays in the API reference until it is removed', async () => {
    const key = await service.key({ scopes: ['pets:read'] });
    await open();
    await give(key);
    await gauge('This minute').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.connection .authorize.locked').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(key);
    await page.getByRole('link', { name: 'Plans and usage' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(key);
  });

  it('shows the end of a ban', async () => {
    const key = await service.key({ plan: 'free' });
    for (let request = 0; request < 120; request += 1) await service.request('/v1/pets', { key });
    await open();
    await give(key);
    await gauge('This minute').getByText('0 of 60 requests left').waitFor();
    expect(await page.locator('#usage .problem').textContent()).toContain('banned until');
  });
});

describe('the picture', () => {
  it.each([
    { pace: 180, waits: false },
    { pace: 90, waits: false },
    { pace: 180, waits: true },
  ])('shows what the service does with $pace requests a minute (waits: $waits)', async ({ pace, waits }) => {
    await open();
    const seconds = 240;
    const drawn = await page.evaluate<{ perSecond: { admitted: number; limited: number; banned: number }[] }>(
      `import('/docs/plans/simulation.js').then(({ simulate }) => simulate(${JSON.stringify({ ...PLANS.free, pace, waits, seconds })}))`,
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
    { plan: 'free', share: 100, waits: false },
    { plan: 'free', share: 75, waits: false },
    { plan: 'free', share: 300, waits: true },
    { plan: 'pro', share: 200, waits: false },
  ] as const)('tells how long the day of $plan lasts at $share % (waits: $waits)', async ({ plan, share, waits }) => {
    await open();
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
    await open();
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

describe('the history of the account', () => {
  it('is drawn by day and outcome', async () => {
    const key = await service.key({ plan: 'pro' });
    await fillHistory();
    await open();
    await page.getByText('Enter an API key').waitFor();
    await give(key);
    await page.locator('.chart svg').waitFor();
    expect(await page.locator('#history .summary').textContent()).toBe(
      '1,998 requests (admitted: 1,900, client errors: 1, over a limit: 60, during a ban: 30, server errors: 7) in the last 30 days. Days are in UTC.',
    );
    expect(await page.locator('.chart g').count()).toBe(30);
    expect(await page.locator('.chart title').last().textContent()).toBe(
      'Nov 21: 497 requests (admitted: 400, over a limit: 60, during a ban: 30, server errors: 7)',
    );
    const heights = (outcome: string) =>
      page
        .locator(`.chart rect.${outcome}`)
        .evaluateAll((parts) => parts.map((part) => Number(part.getAttribute('height'))));
    const [[most = 0, less = 0], [error = 0]] = [await heights('admitted'), await heights('client_error')];
    expect(most / less).toBeCloseTo(1_500 / 400);
    expect(error).toBe(2);
  });

  it('can be read as a table, also by keyboard, which stays open', async () => {
    const key = await service.key();
    await fillHistory();
    await open();
    await give(key);
    const table = page.getByRole('table');
    await page.locator('.chart svg').waitFor();
    expect(await table.isVisible()).toBe(false);
    await page.locator('#history summary').focus();
    await page.keyboard.press('Enter');
    await table.waitFor();
    expect(await table.getByRole('row').nth(1).allInnerTexts()).toEqual(['Nov 21\t497\t400\t0\t60\t30\t7']);
    expect(await table.getByRole('row').nth(2).allInnerTexts()).toEqual(['Nov 20\t1,501\t1,500\t1\t0\t0\t0']);
    // Days without requests are left out.
    expect(await table.getByRole('row').count()).toBe(3);
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.ariaLabel')).toBe('Requests by day');
  });

  it('can be split by operation and key, and by hour', async () => {
    const key = await service.key();
    await fillHistory();
    await open();
    await give(key);
    const summary = page.locator('#history .summary');
    await summary.waitFor();
    await page.getByRole('combobox', { name: 'By' }).selectOption('operation');
    await summary
      .getByText('1,998 requests (listPets: 1,690, getPet: 301, createPet: 7) in the last 30 days.')
      .waitFor();
    expect(await page.locator('#history .legend li').allTextContents()).toEqual(['listPets', 'getPet', 'createPet']);
    await page.getByRole('combobox', { name: 'Interval' }).selectOption('hour');
    await summary.getByText('497 requests (listPets: 490, createPet: 7) in the last 24 hours.').waitFor();
    expect(await page.locator('.chart g').count()).toBe(24);
    await page.getByText('Show as a table').click();
    expect(await page.getByRole('row').allInnerTexts()).toEqual([
      'hour\trequests\tlistPets\tcreatePet',
      'Nov 21, 11:00\t497\t490\t7',
    ]);
    await page.getByRole('combobox', { name: 'By' }).selectOption('key');
    await summary.getByText('497 requests (key: 497)').waitFor();
  });

  it('tells the four most used operations apart', async () => {
    const key = await service.key();
    const names = ['listPets', 'getPet', 'createPet', 'changePet', 'removePet', 'listOrders'];
    const items = names.map((operation, index) => ({
      start: '2026-11-21T00:00:00.000Z',
      requests: 10 - index,
      operation,
    }));
    await open();
    await page.route('**/v1/usage/history?by=operation*', (route) =>
      route.fulfill({
        json: { from: '2026-11-20T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', interval: 'day', items },
      }),
    );
    await give(key);
    await page.getByRole('combobox', { name: 'By' }).selectOption('operation');
    await page
      .locator('.summary')
      .getByText('(listPets: 10, getPet: 9, createPet: 8, changePet: 7, all others: 11)')
      .waitFor();
    expect(await page.locator('.chart g').last().locator('rect').count()).toBe(5);
  });

  it('is empty for an account without requests', async () => {
    await open();
    await give(await service.key());
    await page.getByText('0 requests in the last 30 days').waitFor();
    expect(await page.locator('.chart rect').count()).toBe(0);
  });

  it('is not shown for a key without its scope, which stays stored', async () => {
    const key = await service.key({ scopes: ['pets:read'] });
    await open();
    await give(key);
    await gauge('This day').waitFor();
    await page.locator('#history').getByText('usage:read').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(key);
  });

  it.each([
    ['cannot be reached', undefined],
    [
      'temporarily unavailable',
      { code: 'service_unavailable', message: 'It is temporarily unavailable.', status: 503 },
    ],
  ])('says that the service %s, and the key stays stored', async (message, body) => {
    const key = await service.key();
    await open();
    await page.route('**/v1/usage/history*', (route) =>
      body === undefined ? route.abort() : route.fulfill({ status: body.status, json: body }),
    );
    await give(key);
    await page.locator('#history').getByText(message).waitFor();
    await gauge('This day').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(key);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('Enter an API key').waitFor();
  });
});

describe('the example errors', () => {
  it('are those that the service returns', async () => {
    // As in the page's examples: the service refuses a request 18 s after the first request of the minute.
    clock.set('2026-11-21T11:59:42Z');
    const key = await service.key({ plan: 'pro' });
    await Promise.all(Array.from({ length: 300 }, () => service.request('/v1/pets', { key })));
    clock.set('2026-11-21T12:00:00Z');
    const response = await service.request('/v1/pets', { key });
    await open();
    const shown = (await page.locator('pre').first().textContent()) ?? '';
    const [head = '', body = ''] = shown.split('\n\n');
    expect(await response.text()).toBe(body);
    for (const line of head.split('\n').slice(1)) {
      const [name = '', value = ''] = line.split(': ');
      expect([name, response.headers.get(name)]).toEqual([name, value]);
    }
  });

  it('name the minute, the day and the ban', async () => {
    await open();
    const shown = await page.locator('pre').allTextContents();
    expect(shown).toHaveLength(3);
    expect(shown[0]).toContain('300 requests per minute');
    expect(shown[1]).toContain('10000 requests per day');
    expect(shown[2]).toContain('api_key_banned');
    await until(async () => (await page.locator('.picture svg').count()) === 2);
  });
});
