import { type Action, type Create, pathOf, PATHS, type Room } from './shop-actions.js';
import type { Answer } from './shop-state.js';

/** Something that a client has met, and the account that sees it. */
export interface Met {
  readonly as: number;
  readonly id: string;
}

/** What a client of the shop has come across. */
export class ShopMemory {
  /** Removed ones too. */
  readonly met: Readonly<Record<Room, Met[]>> = { pets: [], categories: [], orders: [] };
  /** What was sent with an Idempotency-Key, whatever came of it. */
  readonly keyed: Create[] = [];
  /** What it was shown last (`Answer.shows`), by paths. */
  readonly shown = new Map<string, string>();

  /** @param answer undefined where none came */
  learn(action: Action, answer: Answer | undefined): void {
    if (action.do === 'create' && action.idempotencyKey !== undefined) this.keyed.push(action);
    if (answer?.shows !== undefined) this.shown.set(answer.location ?? pathOf(action), answer.shows);
    if (answer?.location !== undefined) this.met[action.of].push({ as: action.as, id: answer.location.slice(PATHS[action.of].length + 1) });
  }
}
