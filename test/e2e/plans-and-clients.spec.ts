import { describe, expect, it } from '@jest/globals';
import { service, sharePreparedApp } from '../support/folders.js';

sharePreparedApp({ env: { ANONYMOUS_PER_MINUTE: '20', ANONYMOUS_PER_DAY: '1500' } });

const text = async (path: string) => (await service.request(path)).text();

describe('the limits of the plans', () => {
  it('are on the page of plans, with those of an address and the refusals of each', async () => {
    const page = await text('/docs/plans');
    expect(page).toContain('<li data-plan="pro" data-per-minute="300" data-per-day="10000"><h3>Pro</h3>');
    expect(page).toContain('<dt>requests per minute</dt><dd>1,000</dd>');
    expect(page).toContain('<dt>requests per day</dt><dd>100,000</dd>');
    expect(page).toContain('20 a minute and 1,500 a day');
    for (const message of [
      'The limit of 300 requests per minute is exhausted. Retry after 42 seconds.',
      'The limit of 10000 requests per day is exhausted until 2026-11-22T00:00:00Z.',
      'This API key is banned because it sent too many requests after 429. Retry after 60 seconds.',
    ])
      expect(page).toContain(`"message":"${message}","status":429}`);
  });

  it('are in the introduction of the explorer', async () => {
    const page = await text('/docs');
    expect(page).toContain('<strong>Free</strong> <span>60 a minute, 1,000 a day</span>');
    expect(page).toContain('<strong>Enterprise</strong> <span>custom</span>');
  });
});

it.each([
  [
    'ts',
    [
      "  baseUrl = 'http://localhost:3000/v1';",
      'export type NewPet = { name: string; categoryId: Int; status?: "available" | "pending" | "sold" };',
      '  listPets(query: { limit?: number; status?: "available" | "pending" | "sold"; categoryId?: Int; ids?: Array<Int>; after?: Int } = {}, options?: Options) { return this.#pages<Animal>(path`/pets`, { ...query, ids: query.ids?.join() }, options); }',
      "  createPet(body: NewPet, options?: Options) { return this.#call<Animal>('POST', path`/pets`, { ...options, body, isMarked: true }); }",
      "  changePet(petId: Int, body: PetChange, options?: Options) { return this.#call<Animal>('PATCH', path`/pets/${petId}`, { ...options, body }); }",
      "  removePet(petId: Int, options?: Options) { return this.#call<void>('DELETE', path`/pets/${petId}`, { ...options }); }",
      '  getUsageHistory(query: { from?: string; to?: string; interval?: "hour" | "day"; by?: "key" | "operation" | "outcome" } = {}, options?: Options) { return this.#call<UsageHistory>(\'GET\', path`/usage/history`, { ...options, search: searchOf(query), isFree: true }); }',
    ],
  ],
  [
    'py',
    [
      'NewPet = TypedDict("NewPet", {"name": "str", "categoryId": "int", "status": NotRequired["Literal[\'available\', \'pending\', \'sold\']"]})',
      '    def create_pet(self, body: NewPet, **options: Unpack[Options]) -> Animal: return self._send("POST", f"/pets", options, body=body, marked=True)[0]',
      '    def change_pet(self, pet_id: int, body: PetChange, **options: Unpack[Options]) -> Animal: return self._send("PATCH", f"/pets/{_part(pet_id)}", options, body=body)[0]',
      '    def remove_pet(self, pet_id: int, **options: Unpack[Options]) -> None: return self._send("DELETE", f"/pets/{_part(pet_id)}", options)[0]',
      '    def list_categories(self, *, limit: int | None = None, after: int | None = None, **options: Unpack[Options]) -> Iterator[Category]: return self._pages(f"/categories", {"limit": limit, "after": after}, options)',
    ],
  ],
])('the client in one file has the types and methods of the document: %s', async (language, lines) => {
  const source = (await text(`/docs/client.${language}`)).split('\n');
  expect(source).toEqual(expect.arrayContaining(lines));
});
