import { describe, expect, it } from '@jest/globals';
import { committedReport, PublicApi } from './public-api.js';

const api = new PublicApi();

describe('the public surface', () => {
  it('is as docs/public-api.md shows it; npm run public-api writes that page anew', async () => {
    expect((await api.report()).split('\n')).toEqual(committedReport().split('\n'));
  });

  it('exports every type that it names', () => {
    expect(api.unexportedTypes()).toEqual([]);
  });
});
