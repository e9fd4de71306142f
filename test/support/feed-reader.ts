import { setTimeout as delay } from 'node:timers/promises';

/** An event as consumers get it. */
export interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: unknown;
}

/** Reads JSON with long integers as texts, which keep all their digits. */
export const exactJson = (text: string): unknown => JSON.parse(text.replaceAll(/":(-?\d{16,})/g, '":"$1"'));

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
    const events = exactJson(await response.text()) as EventBody[];
    const after = /[?&]after=([\w-]+)/.exec(response.headers.get('link') ?? '')?.[1];
    if (after === undefined) throw new Error('The feed has no next page.');
    this.after = after;
    this.events.push(...events);
    return events.length;
  }
}
