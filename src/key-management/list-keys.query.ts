import { KEY_ID } from '../api-keys/index.js';
import { IntegerParam, PatternParam } from '../validation/index.js';
import { KEY_ID_SCHEMA } from './key-id.decorator.js';

const DEFAULT_LIMIT = 20;

/** The query of listKeys. */
export class ListKeysQuery {
  @IntegerParam({ description: 'Maximum number of keys to return.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;

  @PatternParam({
    description: 'Return only keys after the one with this identifier, the last one of the previous page.',
    pattern: KEY_ID,
    expectation: 'the identifier of a key, such as key_0123456789abcdef',
    maxLength: KEY_ID_SCHEMA.maxLength,
    example: KEY_ID_SCHEMA.example,
  })
  after?: string;
}
