import type { CatalogueState } from './catalogue-version.js';

interface Reading<T> {
  readonly state: CatalogueState;
  readonly answer: Promise<T>;
}

/** Lets requests that need the same at the same time wait for one read, as long as the catalogue stays what it was when that began. */
export class JoinedReads<T> {
  private readonly underWay = new Map<string, Reading<T>>();

  /**
   * @param name of what is read
   * @param state what the catalogue is like now; undefined where that is not known, and nothing is joined
   */
  join(name: string, state: CatalogueState | undefined, read: () => Promise<T>): Promise<T> {
    if (state === undefined) return read();
    const reading = this.underWay.get(name);
    if (reading?.state.changes === state.changes && reading.state.additions === state.additions) return reading.answer;
    const answer = read().finally(() => {
      if (this.underWay.get(name)?.answer === answer) this.underWay.delete(name);
    });
    this.underWay.set(name, { state, answer });
    return answer;
  }
}
