import type { IncomingHttpHeaders } from 'node:http';
import { DomainError } from '../../platform/index.js';
import { validationFailed } from '../errors/problem.js';
import { etagOf, matchesStrongly, matchesWeakly, readTagList, type TagList } from './entity-tags.js';

/** The precondition of a request (RFC 9110, sections 13.1.1 and 13.1.2). */
export class Precondition {
  private readonly ifMatch: TagList | undefined;
  private readonly ifNoneMatch: TagList | undefined;

  /** @throws ApiError `validation_failed` if a condition is malformed: ignoring it could overwrite another client's change */
  constructor(headers: IncomingHttpHeaders) {
    this.ifMatch = read('If-Match', headers['if-match']);
    this.ifNoneMatch = read('If-None-Match', headers['if-none-match']);
  }

  /**
   * Call it in the transaction of the change, when the resource is locked.
   * @param json the resource as a GET would return it
   * @throws DomainError `precondition_failed`
   */
  check(json: string): void {
    if (this.ifMatch === undefined && this.ifNoneMatch === undefined) return;
    const etag = etagOf(json);
    if (this.ifMatch !== undefined && !matchesStrongly(this.ifMatch, etag)) throw notCurrent();
    if (this.ifNoneMatch !== undefined && matchesWeakly(this.ifNoneMatch, etag)) {
      throw new DomainError('precondition_failed', 'If-None-Match names the current ETag.');
    }
  }
}

export function notCurrent(): DomainError {
  return new DomainError(
    'precondition_failed',
    'If-Match does not name the current ETag. Get the resource again before you retry.',
  );
}

function read(name: string, field: string | undefined): TagList | undefined {
  if (field === undefined) return undefined;
  const list = readTagList(field);
  if (list === undefined)
    throw validationFailed([`${name} must be * or a list of entity tags in quotes, such as "abc", "def"`]);
  return list;
}
