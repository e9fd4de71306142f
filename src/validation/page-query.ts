import { IntegerParam, PatternParam } from './query-params.js';

const DEFAULT_LIMIT = 20;
/** More than an entry of an index of PostgreSQL can have. */
const MAX_CURSOR_LENGTH = 4_096;

/** `limit` of a list, whose own DTO extends this one. */
export abstract class LimitQuery {
  @IntegerParam({ description: 'Maximum number of items to return.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;
}

/** `limit` and `after` of a list that `readPage` reads. Extend it with the filters of the list. */
export class PageQuery extends LimitQuery {
  @PatternParam({
    description: 'Where the page begins, from the `Link` of the previous page.',
    pattern: /^[\w-]+$/,
    maxLength: MAX_CURSOR_LENGTH,
    expectation: 'as in the Link header of the previous page',
    example: 'WyI1IiwiMTciXQ',
  })
  after?: string;
}
