import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../errors/index.js';
import { etagOf, matchesStrongly, matchesWeakly, readTagList, type TagList } from './entity-tags.js';

/** What a request demands of the state of what it changes (RFC 9110, sections 13.1.1 and 13.1.2). */
export class Precondition {
  private readonly ifMatch: TagList | undefined;
  private readonly ifNoneMatch: TagList | undefined;

  /** @throws ApiError `validation_failed` where a condition is malformed: to ignore it could undo somebody else's change */
  constructor(headers: IncomingHttpHeaders) {
    this.ifMatch = read('If-Match', headers['if-match']);
    this.ifNoneMatch = read('If-None-Match', headers['if-none-match']);
  }

  /**
   * To be called in the transaction that makes the change, once what is to be changed was found and locked.
   * @param json the resource as a GET would answer it now
   * @throws ApiError `precondition_failed`
   */
  check(json: string): void {
    if (this.ifMatch === undefined && this.ifNoneMatch === undefined) return;
    const etag = etagOf(json);
    if (this.ifMatch !== undefined && !matchesStrongly(this.ifMatch, etag)) {
      throw new ApiError('precondition_failed', 'If-Match does not name the current ETag. Get the resource again, and decide again.');
    }
    if (this.ifNoneMatch !== undefined && matchesWeakly(this.ifNoneMatch, etag)) {
      throw new ApiError('precondition_failed', 'If-None-Match names the current ETag.');
    }
  }
}

function read(name: string, field: string | undefined): TagList | undefined {
  if (field === undefined) return undefined;
  const list = readTagList(field);
  if (list === undefined) throw new ApiError('validation_failed', `${name} must be * or a list of entity tags in quotes, such as "abc", "def".`);
  return list;
}
