import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Clock, Env } from '../../config/index.js';
import { removalMs } from '../../lifecycle/index.js';
import { createDocument, operationsOf } from './document.js';
import type { LivingOperation } from './finished-operation.js';

/** The document without removed operations. It is built once, and again after each removal date. */
export class CurrentDocument {
  private readonly clock: Clock;
  private readonly env: Env;
  private readonly whole: OpenAPIObject;
  private current: { readonly remaining: number; readonly document: OpenAPIObject } | undefined;

  /** @param errorCodes of extensions, that no operation lists */
  constructor(app: INestApplication, errorCodes: readonly string[]) {
    this.clock = app.get(Clock);
    this.env = app.get(Env);
    this.whole = createDocument(app, errorCodes);
  }

  /** The same object as long as the document does not change. */
  get(): OpenAPIObject {
    const nowMs = this.clock.nowMs();
    const remains = ({ 'x-sunset': sunset }: LivingOperation) =>
      sunset === undefined || nowMs < removalMs(sunset, this.env);
    const remaining = operationsOf(this.whole).filter(remains).length;
    if (this.current?.remaining !== remaining) {
      const paths = Object.entries(this.whole.paths).map(([path, item]) => {
        const operations = Object.entries(item as Record<string, LivingOperation>);
        return [path, Object.fromEntries(operations.filter(([, operation]) => remains(operation)))] as const;
      });
      const served = paths.filter(([, item]) => Object.keys(item).length > 0);
      this.current = { remaining, document: { ...this.whole, paths: Object.fromEntries(served) } };
    }
    return this.current.document;
  }
}
