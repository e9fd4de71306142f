import type { Action, Create, Get, List } from './actions.js';
import type { ServerAssigned } from './model-writes.js';
import { nextPage, type FuzzRun } from './fuzz-run.js';

/** The fields that identify a new resource. */
interface Listed {
  readonly id: number;
  readonly name?: string;
  readonly petId?: number;
  readonly createdAt?: string;
}

/**
 * Determines whether a request without a response took effect, and updates the model to match. The invariants later check
 * that the effect is complete or absent.
 */
export async function resolveOutcome(run: FuzzRun, action: Action): Promise<'done' | 'not done' | 'no effect'> {
  if (action.do === 'list' || action.do === 'get') return 'no effect';
  return action.do === 'create' ? resolveCreate(run, action) : resolveChange(run, action);
}

async function resolveCreate(run: FuzzRun, action: Create): Promise<'done' | 'not done'> {
  const assigned = await findNew(run, action);
  if (assigned === undefined) return 'not done';
  run.model.respond(action, assigned);
  return 'done';
}

async function resolveChange(
  run: FuzzRun,
  action: Exclude<Action, List | Get | Create>,
): Promise<'done' | 'not done' | 'no effect'> {
  const { as, of, id } = action;
  const look: Get = { do: 'get', as, of, id };
  const changed = run.model.copy();
  changed.respond(action);
  const [before, after] = [run.model, changed].map((model) => model.respond(look).text);
  if (before === after) return 'no effect';
  const response = await run.send(look);
  const now = response.ok ? await response.text() : undefined;
  if (now !== after) return 'not done';
  run.model = changed;
  return 'done';
}

/** Finds a resource that a create may have added and that the model does not have. */
async function findNew(run: FuzzRun, { as, of, fields }: Create): Promise<ServerAssigned | undefined> {
  for (let page: List | undefined = { do: 'list', as, of, limit: 100 }; page !== undefined;) {
    const response: Response = await run.send(page);
    for (const { id, name, petId, createdAt } of (await response.json()) as Listed[]) {
      const isMatch = of === 'orders' ? String(petId) === fields.petId : name === fields.name;
      if (isMatch && run.model.respond({ do: 'get', as, of, id: String(id) }).status === 404)
        return { id: String(id), createdAt };
    }
    page = nextPage(page, { link: response.headers.get('link') ?? '' });
  }
  return undefined;
}
