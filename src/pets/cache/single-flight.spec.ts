import { describe, expect, it } from '@jest/globals';
import { SingleFlight } from './pet-response-cache.js';

/** Reads that end when they are told to. */
class Reads {
  readonly begun: PromiseWithResolvers<string>[] = [];
  readonly joined = new SingleFlight<string>();

  ask(state: { additions: number; changes: number } | undefined, name = 'page'): Promise<string> {
    return this.joined.join(name, state, () => {
      const read = Promise.withResolvers<string>();
      this.begun.push(read);
      return read.promise;
    });
  }
}

const NOW = { additions: 1, changes: 1 };

describe('reads of the same name', () => {
  it('that are concurrent share one read', async () => {
    const reads = new Reads();
    const responses = [reads.ask(NOW), reads.ask({ ...NOW }), reads.ask(NOW)];
    reads.begun[0]?.resolve('a');
    expect(await Promise.all(responses)).toEqual(['a', 'a', 'a']);
    expect(reads.begun).toHaveLength(1);
  });

  it('fail together, and the next one reads again', async () => {
    const reads = new Reads();
    const responses = [reads.ask(NOW), reads.ask(NOW)];
    reads.begun[0]?.reject(new Error('away'));
    expect(await Promise.allSettled(responses)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    void reads.ask(NOW);
    expect(reads.begun).toHaveLength(2);
  });

  it.each([[{ additions: 2, changes: 1 }], [{ additions: 1, changes: 2 }], [undefined]])(
    'are not shared if a write came between them: %j',
    async (later) => {
      const reads = new Reads();
      const before = reads.ask(NOW);
      const after = reads.ask(later);
      reads.begun[1]?.resolve('new');
      reads.begun[0]?.resolve('old');
      expect([await before, await after]).toEqual(['old', 'new']);
    },
  );

  it('are still shared if an older read ends meanwhile', async () => {
    const reads = new Reads();
    const before = reads.ask(NOW);
    void reads.ask({ additions: 2, changes: 1 });
    reads.begun[0]?.resolve('old');
    await before;
    void reads.ask({ additions: 2, changes: 1 });
    expect(reads.begun).toHaveLength(2);
  });

  it('are not shared with reads of another name', () => {
    const reads = new Reads();
    void reads.ask(NOW, 'one');
    void reads.ask(NOW, 'other');
    expect(reads.begun).toHaveLength(2);
  });
});
