/** Which ETag stands for what: one for one, whoever answers and whenever. */
export class ShopTags {
  private readonly tagByShown = new Map<string, string>();
  private readonly shownByTag = new Map<string, string>();

  has(shown: string): boolean {
    return this.tagByShown.has(shown);
  }

  /** The ETag of something that was seen; `*` stays as it is. */
  tagOf(shown: string): string {
    return shown === '*' ? shown : (this.tagByShown.get(shown) ?? '"unseen"');
  }

  /**
   * What an ETag stands for.
   * @param expected what it should stand for, which is learnt where both are new
   */
  shownBy(tag: string, expected = ''): string {
    const known = this.shownByTag.get(tag);
    if (known !== undefined) return known;
    if (this.has(expected)) return `${tag}, and not ${this.tagOf(expected)} as before`;
    this.tagByShown.set(expected, tag);
    this.shownByTag.set(tag, expected);
    return expected;
  }
}
