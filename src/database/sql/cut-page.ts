/**
 * Cuts the rows of a statement, whose limit is one more than that of the page, to a page. `nextAfter` is the identifier after
 * which the next page begins, or undefined.
 */
export function cutPage<Row extends { readonly id: unknown }>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; nextAfter: Row['id'] | undefined } {
  const page = rows.slice(0, limit);
  return { page, nextAfter: rows.length > limit ? page.at(-1)?.id : undefined };
}
