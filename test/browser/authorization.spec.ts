import { describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { dragOut } from '../support/browser.js';
import { explorer, give, page, service, shareBrowser, shareExplorer } from '../support/browser-bench.js';
import { until } from '../support/until.js';

shareBrowser();
shareExplorer();

const storedKey = () => page.evaluate<string>(`localStorage.getItem('authorized') ?? ''`);

const focused = () =>
  page.evaluate<string>(
    `document.activeElement.textContent || document.activeElement.labels?.[0]?.textContent || document.activeElement.id`,
  );

/** Presses Tab until an element with this text or label has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab');
    if ((await focused()).includes(name)) return;
  }
  throw new Error(`Tab does not lead to ${name}.`);
}

const shown = async () => (await page.locator('.key-summary').textContent()) ?? '';

describe('the dialog behind Authorize', () => {
  it('shows whose key it is, what it can do and what is left, also later', async () => {
    const key = await service.key({ account: 'acme', plan: 'pro', name: 'Import', scopes: ['pets:read'] });
    await explorer.authorizeButton().click();
    await give(key);
    const expected =
      /^AccountacmePlanProKeyImport \(key_\w+\)Scopespets:readExpiresneverThis minute300 of 300 requests leftThis day10,000 of 10,000 requests left$/;
    expect(await shown()).toMatch(expected);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await explorer.authorizeButton().click();
    expect(await shown()).toMatch(expected);
  });

  it('closes with a click on what is behind it, but not on its own blank space or at the end of a selection', async () => {
    await explorer.authorizeButton().click();
    const dialog = page.getByRole('dialog');
    const field = page.getByLabel('API key');
    await field.fill('psk_live_typed');
    await dialog.click({ position: { x: 6, y: 6 } });
    await dragOut(page, field);
    expect(await field.inputValue()).toBe('psk_live_typed');
    await page.mouse.click(2, 2);
    await dialog.waitFor({ state: 'detached' });
  });

  it('refuses a wrong key with the words of the service, and does not store it', async () => {
    await explorer.authorizeButton().click();
    for (const [key, problem] of [
      ['psk_live_wrong', 'The API key is not valid.'],
      ['not a key', 'This is not an API key'],
    ] as const) {
      await give(key);
      await page.getByRole('alert').filter({ hasText: problem }).waitFor();
      expect(await storedKey()).not.toContain('psk');
    }
    await give(await service.key());
    await page.locator('.key-summary').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('says that the service cannot be reached', async () => {
    const address = '**/v1/usage';
    await page.route(address, (route) => route.abort());
    await explorer.authorizeButton().click();
    await give(await service.key());
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor();
    expect(await storedKey()).not.toContain('psk');
    await page.unroute(address);
    await page.keyboard.press('Enter');
    await page.locator('.key-summary').waitFor();
  });

  it('forgets the key that another tab removes, and takes the one that it stores', async () => {
    const other = await page.context().newPage();
    await other.goto(`${service.origin}/docs/limits`);
    const locked = page.locator('.authorize.locked');
    await explorer.authorize(await service.key());
    await locked.waitFor();
    const stored = await storedKey();
    await other.evaluate(`localStorage.setItem('authorized', '{}')`);
    await page.locator('.authorize.unlocked').waitFor();
    await other.evaluate(`localStorage.setItem('authorized', ${JSON.stringify(stored)})`);
    await locked.waitFor();
    expect(await storedKey()).toBe(stored);
    await other.close();
  });

  it('says that a stored key is not valid any more', async () => {
    const key = await service.key();
    await explorer.authorize(key);
    await page.evaluate(
      `localStorage.setItem('authorized', localStorage.getItem('authorized').replace('psk_live_', 'psk_live_x'))`,
    );
    await page.reload();
    await explorer.authorizeButton().click();
    await page.getByRole('dialog').getByText('The API key is not valid.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await storedKey()).not.toContain('psk');
  });
});

describe('a refused request', () => {
  it('names the scopes that the key has, and the one that it needs, and leads to the page of its code', async () => {
    await explorer.authorize(await service.key({ scopes: ['pets:read', 'orders:read'] }));
    const found = await explorer.openOperation('Keys', 'listKeys');
    const body = await explorer.execute('Keys', 'listKeys', 403);
    expect(body).toContain('This key has the scopes pets:read, orders:read; this operation needs keys:manage.');
    expect(await found.locator('.live-advice').textContent()).toContain('use a key that has the scope');
    await found.getByRole('link', { name: 'What this error means' }).click();
    await page.waitForURL('**/docs/errors#insufficient_scope');
    await page.getByRole('heading', { name: 'insufficient_scope' }).waitFor();
  });

  it('of a suspended account is not told to use another scope', async () => {
    await explorer.authorize(await service.key({ account: 'unpaid' }));
    const found = await explorer.openOperation('Pets', 'listPets');
    await service.app.get(AccountsService).suspend('unpaid', 'unpaid');
    expect(await explorer.execute('Pets', 'listPets', 403)).toContain('Contact the operator of the service.');
    expect(await found.locator('.live-advice').count()).toBe(0);
  });

  it('counts down until it can be sent again', async () => {
    await explorer.authorize(await service.key({ account: 'slow', plan: 'enterprise', perMinute: 1, perDay: 100 }));
    const found = await explorer.openOperation('Pets', 'listPets');
    const execute = found.getByRole('button', { name: 'Execute' });
    const advice = found.locator('.live-advice');
    await explorer.execute('Pets', 'listPets', 200);
    expect(await advice.count()).toBe(0);
    await explorer.execute('Pets', 'listPets', 429);
    expect(await execute.isDisabled()).toBe(true);
    expect(await advice.textContent()).toMatch(
      /^You can send the request again at (?:[A-Z]\w+ \d+ at )?[\d:]+ [AP]M [A-Z]+. (?:1 min|\d\d s) left.$/,
    );
    const left = async () => (await found.locator('.countdown').textContent()) ?? '';
    const before = await left();
    await until(async () => (await left()) !== before);

    // Another key need not wait.
    await explorer.authorizeButton().click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.keyboard.press('Escape');
    await explorer.authorize(await service.key({ account: 'quick' }));
    expect(await execute.isDisabled()).toBe(false);
    await page.route('**/v1/pets*', (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { code: 'rate_limit_exceeded' } }),
    );
    await explorer.execute('Pets', 'listPets', 429);
    await found.getByText('You can send the request again.', { exact: true }).waitFor();
    expect(await execute.isDisabled()).toBe(false);
  });
});

describe('the keyboard', () => {
  it('leads from the skip link to an operation, which keeps the focus, and its response', async () => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabTo('Authorize');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(await service.key());
    await page.keyboard.press('Enter');
    await page.locator('.key-summary').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo('List pets');
    await page.keyboard.press('Enter');
    await explorer.operation('Pets', 'listPets').getByRole('button', { name: 'Execute' }).waitFor();
    expect(await focused()).toContain('List pets');
    await tabTo('Execute');
    await page.keyboard.press('Enter');
    expect(await explorer.operation('Pets', 'listPets').locator('.live-code').textContent()).toBe('200 OK');
  });
});
