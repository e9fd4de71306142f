/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Value of `after` for the next page; undefined on the last page. */
  readonly nextAfter: number | string | undefined;
}

/** The page that a request asks for: `limit` and `after` of its query. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: string | undefined;
}

/**
 * Cuts a page from rows that SQL of your own has found, sorted by `id`. The statement's limit must be one more than that of
 * the page. `readPage` does this for the query builder.
 */
export function cutPage<Row extends { readonly id: number | string }>(
  rows: readonly Row[],
  limit: number,
): Page<Row> & { readonly items: Row[] } {
  const items = rows.slice(0, limit);
  return { items, nextAfter: rows.length > limit ? items.at(-1)?.id : undefined };
}
