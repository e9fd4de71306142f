import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { accessibilityFindings, overflow, SCREENS, useScreen } from '../support/browser.js';
import { open, openExplorer, service, shareBrowser } from '../support/browser-bench.js';
import { AMPLE } from '../support/folders.js';

shareBrowser({ env: { ENVIRONMENT: 'staging' } });

describe('the pages of a staging service', () => {
  it.each(['/docs', '/docs/', '/docs/plans'])('have a ribbon on every screen: %s', async (path) => {
    const page = await open(path);
    for (const screen of SCREENS) {
      await useScreen(page, screen);
      expect(await page.locator('.ribbon').textContent()).toBe('Staging');
      await page.evaluate('scrollTo(0, 400)');
      expect(await page.locator('.ribbon').boundingBox()).toMatchObject({ x: 0, y: 0 });
      expect(await overflow(page)).toBe(0);
      expect(path === '/docs/plans' ? await accessibilityFindings(page) : []).toEqual([]);
    }
  });

  it('offer the errors of an operation, each of which can be rehearsed', async () => {
    const explorer = await openExplorer();
    await explorer.authorize(await service.key({ ...AMPLE, scopes: [...SCOPES] }));
    for (const [id, least] of [
      ['createPet', 15],
      ['getPet', 10],
    ] as const) {
      await explorer.closeOperations();
      const found = await explorer.openOperation('Pets', id);
      const menu = found.getByLabel('Prefer');
      const [none, ...errors] = await menu.locator('option').allTextContents();
      expect(none).toBe('None: run the request');
      expect(errors.length).toBeGreaterThanOrEqual(least);
      for (const error of errors) {
        const [status = '', code = ''] = error.split(' ');
        await menu.selectOption({ label: error });
        await found.locator('.btn.execute:enabled').waitFor();
        const response = await explorer.send('Pets', id);
        expect([error, response.status()]).toEqual([error, Number(status)]);
        expect(await response.headerValue('preference-applied')).toBe(`code=${code || status}`);
        expect(await response.text()).toContain(code);
        const advice = await found.locator('.live-advice').allTextContents();
        expect(advice).toEqual(['This error is rehearsed: the request had no other effect.']);
        expect(await found.locator('.live-quota').textContent()).not.toContain('without a valid key');
      }
      await menu.selectOption({ label: none ?? '' });
      await found.locator('.btn.execute:enabled').waitFor();
      expect((await explorer.send('Pets', id)).status()).toBe(id === 'createPet' ? 201 : 200);
    }
  });
});
