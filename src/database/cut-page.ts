/**
 * A page of what a statement found with a limit of one row more, and the identifier after which the next page begins;
 * undefined where there is none.
 */
export function cutPage<Row extends { readonly id: unknown }>(rows: readonly Row[], limit: number): { page: Row[]; nextAfter: Row['id'] | undefined } {
  const page = rows.slice(0, limit);
  return { page, nextAfter: rows.length > limit ? page.at(-1)?.id : undefined };
}
