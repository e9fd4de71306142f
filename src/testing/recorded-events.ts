import { setTimeout as delay } from 'node:timers/promises';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import type { DomainEvent } from '../index.js';

const PATIENCE_MS = 2_000;

/** Events in the order of their commits. They come a moment after the response. */
export class RecordedEvents {
  private readonly events: DomainEvent[] = [];

  constructor(emitter: EventEmitter2, pattern: string) {
    emitter.on(pattern, (event: DomainEvent) => this.events.push(event));
  }

  /** Waits two seconds for this number of events, and removes them. @throws (rejects) Error if there are fewer */
  async take(count: number): Promise<DomainEvent[]> {
    for (const endMs = performance.now() + PATIENCE_MS; this.events.length < count; await delay(5))
      if (performance.now() > endMs) throw new Error(`${this.events.length} of ${count} events were raised.`);
    return this.events.splice(0, count);
  }
}
