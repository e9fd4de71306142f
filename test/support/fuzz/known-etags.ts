/** Checks that ETags and representations match one to one, across instances and time. */
export class KnownEtags {
  private readonly etagByRepresentation = new Map<string, string>();
  private readonly representationByEtag = new Map<string, string>();

  has(representation: string): boolean {
    return this.etagByRepresentation.has(representation);
  }

  /** Returns the ETag of a representation. `*` stays `*`. */
  etagOf(representation: string): string {
    return representation === '*' ? representation : (this.etagByRepresentation.get(representation) ?? '"unseen"');
  }

  /**
   * Returns the representation that an ETag identifies.
   * @param expected is stored if both are new
   */
  representationOf(etag: string, expected = ''): string {
    const known = this.representationByEtag.get(etag);
    if (known !== undefined) return known;
    if (this.has(expected)) return `${etag}, and not ${this.etagOf(expected)} as before`;
    this.etagByRepresentation.set(expected, etag);
    this.representationByEtag.set(etag, expected);
    return expected;
  }
}
