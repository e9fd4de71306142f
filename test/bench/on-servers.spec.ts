import { describe, expect, it } from '@jest/globals';
import { sameAnswers } from './same-answers.js';

describe('the contenders of the benchmark, on PostgreSQL and Redis', () => {
  it('all return the same responses as ours', () => expect(sameAnswers('postgres')).resolves.toBeUndefined());
});
