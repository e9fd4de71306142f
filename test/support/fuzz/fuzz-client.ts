import type { Action } from './actions.js';
import { ActionGenerator, type ClientOptions } from './action-generator.js';
import { ClientHistory } from './client-history.js';
import { nextPage, type FuzzRun } from './fuzz-run.js';
import { invariantReads } from './invariant-reads.js';

export class FuzzClient {
  readonly history = new ClientHistory();
  private readonly generator: ActionGenerator;

  /** @param below returns a random integer from 0 to `end` - 1 */
  constructor(
    private readonly run: FuzzRun,
    private readonly below: (end: number) => number,
    private readonly options: ClientOptions & {
      /** Index of the instance to call. By default the instances take turns. */
      readonly at?: number;
    },
  ) {
    this.generator = new ActionGenerator(this.history, below, options);
  }

  /**
   * Sends one request. Surrounds some requests with reads of what they change, and follows some lists to further pages.
   * @returns the request whose response never arrived, if any
   */
  async step(): Promise<Action | undefined> {
    const action = this.generator.next();
    const reads = this.below(3) === 0 ? invariantReads(action, this.history, this.options.isAlone) : [];
    for (const part of [...reads, action, ...reads]) {
      const broken = await this.send(part);
      if (broken !== undefined) return broken;
    }
    return undefined;
  }

  /** Continues until it is aborted or a response does not arrive. Returns the request without a response. */
  async runUntil(until: AbortSignal): Promise<Action | undefined> {
    let broken: Action | undefined;
    while (!until.aborted && broken === undefined) broken = await this.step();
    return broken;
  }

  private async send(first: Action): Promise<Action | undefined> {
    for (let action: Action | undefined = first; action !== undefined;) {
      const response = await this.run.attempt(action, this.options.at);
      this.history.record(action, response);
      if (response === undefined) return action;
      action = action.do === 'list' && this.below(3) > 0 ? nextPage(action, response) : undefined;
    }
    return undefined;
  }
}
