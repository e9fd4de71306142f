import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { accessibilityFindings, useScreen } from '../support/browser.js';
import { explorer, key, page, service, shareBrowser, shareExplorer } from '../support/browser-bench.js';
import { until } from '../support/until.js';

shareBrowser();
beforeAll(async () => {
  for (let count = 1; count <= 5; count += 1)
    await service.post('/v1/pets', key, JSON.stringify({ name: `Pet ${count}`, categoryId: 7 }));
});
shareExplorer();

const bodyOf = async (found: Locator) =>
  JSON.parse((await found.locator('.live-body pre').textContent()) ?? '') as unknown;

describe('a required body that is empty', () => {
  it('is reported beside its field, which gets the focus, until something is typed', async () => {
    const found = await explorer.openOperation('Pets', 'createPet');
    const field = found.getByLabel('Request body');
    await field.fill('');
    await found.locator('.sample', { hasText: 'categoryId' }).waitFor({ state: 'detached' });
    await found.getByRole('button', { name: 'Execute' }).click();
    const problem = found.getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).toBe('The request was not sent: this operation needs a body.');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toBe(await problem.getAttribute('id'));
    await until(() => field.evaluate((area) => area === area.ownerDocument.activeElement));
    expect(await accessibilityFindings(page)).toEqual([]);
    await field.fill('{"name": "Rex", "categoryId": 7}');
    await problem.waitFor({ state: 'detached' });
    expect(await field.getAttribute('aria-invalid')).toBeNull();
  });
});

describe('the key in use', () => {
  it('is shown by its account and plan, also after a reload, until it is gone', async () => {
    const shown = page.locator('.key-in-use');
    const text = 'Requests use the quota of rex on the Pro plan.';
    await explorer.authorize(await service.key({ account: 'rex', plan: 'pro', scopes: ['pets:read'] }));
    await until(async () => (await shown.textContent()) === text);
    await page.reload();
    await shown.getByText(text).waitFor();
    expect(await shown.getAttribute('role')).toBe('status');
    await explorer.authorizeButton().click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await until(async () => (await shown.textContent()) === '');
  });
});

describe('a response', () => {
  it('leads to the next page until there is none', async () => {
    await explorer.authorize(key);
    const found = await explorer.openOperation('Pets', 'listPets');
    await found.getByPlaceholder('limit').fill('2');
    await found.getByPlaceholder('categoryId').fill('7');
    // Swagger UI takes the value after a moment.
    await found.locator('.sample').getByText('categoryId=7').waitFor();
    await explorer.execute('Pets', 'listPets', 200);
    const pages = [await bodyOf(found)];
    const next = found.getByRole('button', { name: 'Next page' });
    while ((await next.count()) > 0) {
      const before = await found.locator('.sample').textContent();
      await next.click();
      await until(async () => (await found.locator('.sample').textContent()) !== before);
      await until(async () => JSON.stringify(await bodyOf(found)) !== JSON.stringify(pages.at(-1)));
      pages.push(await bodyOf(found));
    }
    const names = pages.map((list) => (list as { name: string }[]).map(({ name }) => name));
    expect(names).toEqual([['Pet 1', 'Pet 2'], ['Pet 3', 'Pet 4'], ['Pet 5']]);
  });

  it('opens what was created', async () => {
    await explorer.authorize(key);
    const found = await explorer.openOperation('Pets', 'createPet');
    await found.getByLabel('Request body').fill('{"name": "Rex", "categoryId": 8}');
    await explorer.execute('Pets', 'createPet', 201);
    const { id } = (await bodyOf(found)) as { id: number };
    await found.getByRole('button', { name: `Open /v1/pets/${id}` }).click();
    const opened = explorer.operation('Pets', 'getPet');
    await opened.locator('.live-code', { hasText: '200' }).waitFor();
    expect(await bodyOf(opened)).toMatchObject({ id, name: 'Rex' });
    const current = page.getByRole('navigation', { name: 'Operations' }).locator('[aria-current="location"]');
    await current.getByText('Get a pet').waitFor();
    expect(await current.count()).toBe(1);
  });

  it('stays beside a long form while the window has room for it, and scrolls with the page otherwise', async () => {
    await useScreen(page, { width: 1280 });
    const found = await explorer.openOperation('Pets', 'listPets');
    const column = found.locator('.operation-results');
    const position = () => column.evaluate((element) => element.computedStyleMap().get('position')?.toString());
    await page.setViewportSize({ width: 1280, height: 2_500 });
    await until(async () => (await position()) === 'sticky');
    await page.setViewportSize({ width: 1280, height: 850 });
    await until(async () => (await position()) === 'static');
    expect(await column.evaluate((element) => element.scrollHeight - element.clientHeight)).toBe(0);
  });
});

describe('the requests of a tab', () => {
  it('are listed without key and body, can be opened again, and can be forgotten', async () => {
    await page.evaluate('sessionStorage.clear()');
    await page.reload();
    await explorer.authorize(key);
    const found = await explorer.openOperation('Pets', 'getPet');
    await found.getByPlaceholder('petId').fill('2');
    await explorer.execute('Pets', 'getPet', 200);
    await found.getByPlaceholder('petId').fill('999999');
    await explorer.execute('Pets', 'getPet', 404);
    await explorer.openOperation('Pets', 'createPet');
    await explorer
      .operation('Pets', 'createPet')
      .getByLabel('Request body')
      .fill('{"name": "Secret", "categoryId": 9}');
    await explorer.execute('Pets', 'createPet', 201);

    await page.getByText('Requests in this tab (3)').click();
    const entries = page.locator('.request-history li');
    const listed = await Promise.all(
      (await entries.all()).map(async (entry) => (await entry.locator('code, span').allTextContents()).join(' ')),
    );
    expect(listed).toEqual(['POST /v1/pets 201', 'GET /v1/pets/999999 404', 'GET /v1/pets/2 200']);
    const stored = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    expect(stored).not.toMatch(/psk_|Secret/);
    expect(await accessibilityFindings(page)).toEqual([]);

    await explorer.closeOperations();
    await entries.nth(2).getByRole('button').click();
    await until(async () => (await found.getByPlaceholder('petId').inputValue()) === '2');
    await page.getByRole('button', { name: 'Clear' }).click();
    await entries.first().waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    expect(await entries.count()).toBe(0);
  });
});
