import type { CatalogueState } from './catalogue-version.js';

interface Reading<T> {
  readonly state: CatalogueState;
  readonly answer: Promise<T>;
}

/** Coalesces identical concurrent reads, as long as the catalogue does not change. */
export class SingleFlight<T> {
  private readonly underWay = new Map<string, Reading<T>>();

  /**
   * @param name of the read
   * @param state current version of the catalogue; undefined if it is unknown, and then nothing is coalesced
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
