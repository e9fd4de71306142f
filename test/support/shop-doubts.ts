import type { Action, Create, Get, List } from './shop-actions.js';
import type { Given } from './shop-changes.js';
import { nextPage, type ShopWalk } from './shop-walk.js';

/** As far as it tells new things apart. */
interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly petId?: number;
  readonly createdAt?: string;
}

/**
 * Looks whether something was done whose answer never came, and lets the model follow. That it was done whole, or not
 * at all, shows when everything is compared after it.
 */
export async function settle(walk: ShopWalk, action: Action): Promise<'done' | 'not done' | 'nothing to do'> {
  if (action.do === 'list' || action.do === 'get') return 'nothing to do';
  return action.do === 'create' ? settleCreation(walk, action) : settleChange(walk, action);
}

async function settleCreation(walk: ShopWalk, action: Create): Promise<'done' | 'not done'> {
  const given = await findNew(walk, action);
  if (given === undefined) return 'not done';
  walk.model.answer(action, given);
  return 'done';
}

async function settleChange(walk: ShopWalk, action: Exclude<Action, List | Get | Create>): Promise<'done' | 'not done' | 'nothing to do'> {
  const { as, of, id } = action;
  const look: Get = { do: 'get', as, of, id };
  const changed = walk.model.copy();
  changed.answer(action);
  const [before, after] = [walk.model, changed].map((model) => model.answer(look).text);
  if (before === after) return 'nothing to do';
  const answer = await walk.send(look);
  const now = answer.ok ? await answer.text() : undefined;
  if (now !== after) return 'not done';
  walk.model = changed;
  return 'done';
}

/** What a request to create something may have left behind, of which the model knows nothing. */
async function findNew(walk: ShopWalk, { as, of, fields }: Create): Promise<Given | undefined> {
  for (let page: List | undefined = { do: 'list', as, of, limit: 100 }; page !== undefined; ) {
    const answer: Response = await walk.send(page);
    for (const { id, name, petId, createdAt } of (await answer.json()) as Listed[]) {
      const isAlike = of === 'orders' ? String(petId) === fields.petId : name === fields.name;
      if (isAlike && walk.model.answer({ do: 'get', as, of, id: String(id) }).status === 404) return { id: String(id), createdAt };
    }
    page = nextPage(page, { link: answer.headers.get('link') ?? '' });
  }
  return undefined;
}
