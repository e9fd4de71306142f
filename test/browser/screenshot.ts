import { statSync } from 'node:fs';
import { join } from 'node:path';
import { startApp } from '../support/app.js';
import { startBrowser, visit } from '../support/browser.js';
import { ExplorerPage } from '../support/explorer-page.js';

const TARGET = join(import.meta.dirname, '../../docs/explorer.png');
const MAX_BYTES = 200_000;

const PETS = [
  { name: 'Bella', categoryId: 1, status: 'available' },
  { name: 'Milo', categoryId: 2, status: 'pending' },
];

/** Takes the README's screenshot of the explorer, with an operation executed on the real service. */
const service = await startApp();
const browser = await startBrowser();
try {
  const key = await service.key({ account: 'acme', plan: 'pro' });
  for (const pet of PETS) await service.post('/v1/pets', key, JSON.stringify(pet));
  const { page } = await visit(browser, { width: 1280 });
  await page.goto(`${service.origin}/docs`);
  const explorer = new ExplorerPage(page);
  await explorer.authorize(key);
  await explorer.openOperation('Pets', 'listPets');
  await explorer.execute('Pets', 'listPets', 200);
  await page.locator('.operation-filter').evaluate((filter) => filter.scrollIntoView());
  await page.mouse.move(0, 0);
  await page.screenshot({ path: TARGET });
  const { size } = statSync(TARGET);
  if (size > MAX_BYTES) throw new Error(`${TARGET} has ${size} bytes; at most ${MAX_BYTES} are wanted.`);
} finally {
  await browser.close();
  await service.stop();
}
