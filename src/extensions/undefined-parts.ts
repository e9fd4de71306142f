const LISTS = ['entities', 'migrations', 'healthIndicators'] as const;

/** What TypeORM and Nest would leave out, or report without a name. */
export function undefinedParts(extension: object): string[] {
  const parts: { readonly [List in (typeof LISTS)[number]]?: readonly unknown[] } = extension;
  return LISTS.flatMap((list) =>
    (parts[list] ?? []).flatMap((part, index) =>
      part === undefined ? [`has undefined in ${list}[${index}]. Files may import each other in a circle.`] : [],
    ),
  );
}
