import { describe, expect, it } from '@jest/globals';
import { sameAnswers } from './same-answers.js';

describe('the contenders of the benchmark', () => {
  it('all return the same responses as ours', () => expect(sameAnswers('sqlite')).resolves.toBeUndefined());
});
