import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../platform/index.js';
import { etagOf, matchesStrongly, matchesWeakly, notCurrent } from './entity-tags.js';

/** The precondition of a request (RFC 9110, sections 13.1.1 and 13.1.2). */
export class Precondition {
  private readonly ifMatch: string | undefined;
  private readonly ifNoneMatch: string | undefined;

  constructor(headers: IncomingHttpHeaders) {
    this.ifMatch = headers['if-match'];
    this.ifNoneMatch = headers['if-none-match'];
  }

  /**
   * Call it in the transaction of the change, when the resource is locked.
   * @param json the resource as a GET would return it
   * @throws DomainError `precondition_failed`
   */
  check(json: string): void {
    if (this.ifMatch === undefined && this.ifNoneMatch === undefined) return;
    const etag = etagOf(json);
    if (this.ifMatch !== undefined && !matchesStrongly(this.ifMatch, etag)) throw notCurrent(this.ifMatch);
    if (this.ifNoneMatch !== undefined && matchesWeakly(this.ifNoneMatch, etag)) {
      throw new DomainError('precondition_failed', 'If-None-Match names the current ETag.');
    }
  }
}
