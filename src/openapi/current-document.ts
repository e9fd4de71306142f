import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Clock, Env } from '../config/index.js';
import { removalMs } from '../lifecycle/index.js';
import { createDocument, type DocumentFacts, operationsOf } from './document.js';
import type { LivingOperation } from './finished-operation.js';

/** The document without removed operations. It is built once, and again after each removal date. */
export class CurrentDocument {
  /** The document with removed operations. */
  readonly whole: OpenAPIObject;
  private readonly clock: Clock;
  private readonly env: Env;
  private readonly removalsMs: readonly number[];
  private current: { readonly removed: number; readonly document: OpenAPIObject } | undefined;

  constructor(app: INestApplication, facts: DocumentFacts) {
    this.clock = app.get(Clock);
    this.env = app.get(Env);
    this.whole = createDocument(app, facts);
    this.removalsMs = operationsOf(this.whole).map((operation) => this.removalOf(operation));
  }

  /** The same object as long as the document does not change. */
  get(): OpenAPIObject {
    const nowMs = this.clock.nowMs();
    const removed = this.removalsMs.filter((removal) => removal <= nowMs).length;
    if (this.current?.removed !== removed) this.current = { removed, document: this.withoutRemoved(nowMs) };
    return this.current.document;
  }

  private withoutRemoved(nowMs: number): OpenAPIObject {
    const paths: OpenAPIObject['paths'] = {};
    for (const [path, item] of Object.entries(this.whole.paths)) {
      const operations = Object.entries(item as Record<string, LivingOperation>);
      const kept = operations.filter(([, operation]) => nowMs < this.removalOf(operation));
      if (kept.length > 0) paths[path] = Object.fromEntries(kept);
    }
    return { ...this.whole, paths };
  }

  private removalOf({ 'x-sunset': sunset }: LivingOperation): number {
    return sunset === undefined ? Infinity : removalMs(sunset, this.env);
  }
}
