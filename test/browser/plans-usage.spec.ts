import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from 'playwright-core';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { FakeClock } from '../support/app.js';
import { accessibilityFindings, overflow, SCREENS, useScreen } from '../support/browser.js';
import { give, key, open, openEmpty, page, service, shareBrowser } from '../support/browser-bench.js';
import { queryDatabase } from '../support/databases.js';
import { ExplorerPage } from '../support/explorer-page.js';

shareBrowser({ clock: new FakeClock() }, { plan: 'pro' });

/** Gives the account of the key a history of two days. */
beforeAll(async () => {
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
});

const gauge = (name: string) => page.getByRole('group', { name });

describe('the page of plans', () => {
  it('fits every screen and has no serious accessibility finding', async () => {
    await open('/docs/plans');
    await page.locator('.picture svg').first().waitFor();
    for (const screen of SCREENS) {
      await useScreen(page, screen);
      expect({ screen, found: await accessibilityFindings(page) }).toEqual({ screen, found: [] });
    }
    await give(key);
    await gauge('This day').waitFor();
    await page.locator('.chart svg').waitFor();
    await page.getByText('Show as a table').click();
    for (const screen of SCREENS) {
      await useScreen(page, screen);
      expect({ screen, found: await accessibilityFindings(page) }).toEqual({ screen, found: [] });
      expect([screen, await overflow(page)]).toEqual([screen, 0]);
    }
  });
});

const stored = () => page.evaluate<string>('JSON.stringify(localStorage)');

const focused = () => page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');

describe('the usage of a key', () => {
  it('keeps the focus when the key is shown, shown again, or refused, which is not stored', async () => {
    await open('/docs/plans');
    for (const [refused, message] of [
      ['psk_live_nonsense', 'not valid'],
      ['Schlüssel', 'not an API key'],
    ] as const) {
      await page.getByLabel('API key').fill(refused);
      await page.getByRole('button', { name: 'Show' }).press('Enter');
      await page.getByRole('alert').getByText(message).waitFor();
      expect(await focused()).toBe('key');
      expect(await page.evaluate<string | null>("localStorage.getItem('authorized')")).toBeNull();
    }
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

  it('is shown and updated without using quota, with an end of the minute only once the minute has begun', async () => {
    const ours = await service.key({ plan: 'pro' });
    await open('/docs/plans');
    await give(ours);
    await gauge('This minute').getByText('300 of 300 requests left').waitFor();
    expect(await gauge('This minute').getByText('until').count()).toBe(0);
    await service.request('/v1/pets', { key: ours });
    await gauge('This minute').getByText('299 of 300 requests left').waitFor();
    await gauge('This minute').getByText('until').waitFor();
    await gauge('This day').getByText('9,999 of 10,000 requests left').waitFor();
    await expect((await service.request('/v1/usage', { key: ours })).json()).resolves.toMatchObject({
      minute: { remaining: 299 },
    });
  });

  it('shares its key, whatever its scopes, with the API reference, until it is removed', async () => {
    const ours = await service.key({ plan: 'free', scopes: ['pets:read'] });
    await open('/docs/plans');
    await give(ours);
    await gauge('This minute').getByText('60 of 60 requests left').waitFor();
    await page.locator('#history').getByText('usage:read').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.connection .authorize.locked').waitFor();
    await page.locator('#operations-Pets-listPets .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-code', { hasText: '200' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await stored()).toContain(ours);
    await page.getByRole('link', { name: 'Plans and usage' }).click();
    await gauge('This minute').getByText('59 of 60 requests left').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await stored()).not.toContain(ours);
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.locator('.connection .authorize.unlocked').waitFor();
  });

  it('is that of the key that the API reference has', async () => {
    await open('/docs');
    await new ExplorerPage(page).authorize(await service.key({ plan: 'free' }));
    await page.getByRole('link', { name: 'Plans and usage' }).click();
    const minute = gauge('This minute').getByText('60 of 60 requests left');
    await minute.waitFor();
    expect(await minute.count()).toBe(1);
  });

  it('of a suspended account says so, asks no more, and takes another key or forgets this one', async () => {
    const suspended = await service.key({ account: 'unpaid' });
    await service.app.get(AccountsService).suspend('unpaid', 'unpaid');
    await openEmpty();
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/v1/usage') && asked.push(request.url())));
    await page.clock.install();
    await page.goto(`${service.origin}/docs/plans`);
    await give(suspended);
    const problem = page.getByRole('alert').getByText('suspended');
    await problem.waitFor();
    await page.getByLabel('API key').fill('psk_live_half');
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.clock.runFor(60_000);
    expect([asked.length, await page.getByLabel('API key').inputValue()]).toEqual([1, 'psk_live_half']);
    await give(await service.key());
    await gauge('This day').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await give(suspended);
    await problem.waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await problem.waitFor({ state: 'detached' });
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(suspended);
  });

  it('shows the end of a ban', async () => {
    const ours = await service.key({ plan: 'free' });
    for (let request = 0; request < 120; request += 1) await service.request('/v1/pets', { key: ours });
    await open('/docs/plans');
    await give(ours);
    await gauge('This minute').getByText('0 of 60 requests left').waitFor();
    expect(await page.locator('#usage .problem').textContent()).toContain('banned until');
  });
});

const heights = (outcome: string) =>
  page
    .locator(`.chart rect.${outcome}`)
    .evaluateAll((parts) => parts.map((part) => Number(part.getAttribute('height'))));

describe('the history of the account', () => {
  it('is drawn by day and outcome, and can be read as a table, also by keyboard, which stays open', async () => {
    await open('/docs/plans');
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
    const [[most = 0, less = 0], [error = 0]] = [await heights('admitted'), await heights('client_error')];
    expect(most / less).toBeCloseTo(1_500 / 400);
    expect(error).toBe(2);

    const table = page.getByRole('table');
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
    await open('/docs/plans');
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
    const names = ['listPets', 'getPet', 'createPet', 'changePet', 'removePet', 'listOrders'];
    const items = names.map((operation, index) => ({
      start: '2026-11-21T00:00:00.000Z',
      requests: 10 - index,
      operation,
    }));
    await open('/docs/plans');
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
    await open('/docs/plans');
    await give(await service.key());
    await page.getByText('0 requests in the last 30 days').waitFor();
    expect(await page.locator('.chart rect').count()).toBe(0);
  });

  it('says that the service cannot be reached or is unavailable, and the key stays stored', async () => {
    const unavailable = { code: 'service_unavailable', message: 'It is temporarily unavailable.', status: 503 };
    await open('/docs/plans');
    for (const [message, respond] of [
      ['cannot be reached', (route: Route) => route.abort()],
      ['temporarily unavailable', (route: Route) => route.fulfill({ status: 503, json: unavailable })],
    ] as const) {
      await page.unrouteAll();
      await page.route('**/v1/usage/history*', respond);
      await give(key);
      await page.locator('#history').getByText(message).waitFor();
      await gauge('This day').waitFor();
      expect(await page.evaluate<string>('JSON.stringify(localStorage)')).toContain(key);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByText('Enter an API key').waitFor();
    }
  });
});
