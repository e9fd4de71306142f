import type { Action } from './shop-actions.js';
import { ShopHabits, type Ways } from './shop-habits.js';
import { ShopMemory } from './shop-memory.js';
import { nextPage, type ShopWalk } from './shop-walk.js';
import { witnessesOf } from './shop-witnesses.js';

/** A client of the shop that does one random thing after another. */
export class ShopVisitor {
  readonly memory = new ShopMemory();
  private readonly habits: ShopHabits;

  /** @param below gives random integers from 0 on */
  constructor(
    private readonly walk: ShopWalk,
    private readonly below: (end: number) => number,
    private readonly ways: Ways & {
      /** Which of the instances it asks; by default they take turns. */
      readonly at?: number;
    },
  ) {
    this.habits = new ShopHabits(this.memory, below, ways);
  }

  /**
   * Does one thing. At times it looks before and after it, and of a list it may turn a few pages.
   * @returns what broke off, so that nobody knows whether it was done
   */
  async step(): Promise<Action | undefined> {
    const action = this.habits.choose();
    const witnesses = this.below(3) === 0 ? witnessesOf(action, this.memory, this.ways.isAlone) : [];
    for (const part of [...witnesses, action, ...witnesses]) {
      const broken = await this.act(part);
      if (broken !== undefined) return broken;
    }
    return undefined;
  }

  /** Goes on until it is told to end, or something breaks off, which it gives back. */
  async stay(until: AbortSignal): Promise<Action | undefined> {
    let broken: Action | undefined;
    while (!until.aborted && broken === undefined) broken = await this.step();
    return broken;
  }

  private async act(first: Action): Promise<Action | undefined> {
    for (let action: Action | undefined = first; action !== undefined; ) {
      const answer = await this.walk.attempt(action, this.ways.at);
      this.memory.learn(action, answer);
      if (answer === undefined) return action;
      action = action.do === 'list' && this.below(3) > 0 ? nextPage(action, answer) : undefined;
    }
    return undefined;
  }
}
