import { KEY_ID } from '../api-keys/index.js';
import { LimitQuery, PatternParam } from '../validation/index.js';
import { KEY_ID_SCHEMA } from './key-id.decorator.js';

export class ListKeysQuery extends LimitQuery {
  @PatternParam({
    description: 'Return only keys after the one with this identifier, the last one of the previous page.',
    pattern: KEY_ID,
    expectation: 'the identifier of a key, such as key_0123456789abcdef',
    maxLength: KEY_ID_SCHEMA.maxLength,
    example: KEY_ID_SCHEMA.example,
  })
  after?: string;
}
