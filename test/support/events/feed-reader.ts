import { setTimeout as delay } from 'node:timers/promises';
import type { EventBody } from './change-ledger.js';

/** Follows the feed of events over all instances. It keeps the cursor with the events, as a consumer does. */
export class FeedReader {
  readonly events: EventBody[] = [];
  private after = '';

  constructor(
    private readonly key: string,
    private readonly ports: () => readonly number[],
  ) {}

  async runUntil(end: AbortSignal): Promise<void> {
    for (let turn = 0; !end.aborted; turn += 1) await this.readPage(turn, 'wait=2').catch(() => delay(50));
  }

  /** Reads what is left. */
  async readRest(): Promise<void> {
    while ((await this.readPage(0)) > 0);
  }

  private async readPage(turn: number, prefer = 'wait=0'): Promise<number> {
    const ports = this.ports();
    const query = this.after === '' ? '' : `&after=${this.after}`;
    const response = await fetch(`http://127.0.0.1:${ports[turn % ports.length]}/v1/events?limit=50${query}`, {
      headers: { Authorization: `Bearer ${this.key}`, Prefer: prefer },
    });
    if (response.status !== 200) throw new Error(`The feed responded with ${response.status}.`);
    const events = (await response.json()) as EventBody[];
    const after = /[?&]after=([\w-]+)/.exec(response.headers.get('link') ?? '')?.[1];
    if (after === undefined) throw new Error('The feed has no next page.');
    this.after = after;
    this.events.push(...events);
    return events.length;
  }
}
