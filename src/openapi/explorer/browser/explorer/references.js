/**
 * Resolves the references of an operation once it is opened. Swagger UI's own way parses the whole document each time, which
 * took most of the time that the page needs to load. All references of this document lead into the document itself.
 * @returns {UiPlugin}
 */
export const references = () => ({
  fn: {
    /**
     * @param {object} spec
     * @param {readonly string[]} path of the part that is needed
     */
    resolveSubtree: async (spec, path) => ({ spec: resolved(valueAt(spec, path), spec, []), errors: [] }),
  },
});

/**
 * @param {unknown} value
 * @param {object} spec
 * @param {readonly string[]} within references that are being resolved; one that leads back to them stays
 * @returns {unknown}
 */
function resolved(value, spec, within) {
  if (Array.isArray(value)) return value.map((item) => resolved(item, spec, within));
  if (typeof value !== 'object' || value === null) return value;
  const membersOf = (/** @type {object} */ object) =>
    Object.fromEntries(Object.entries(object).map(([name, member]) => [name, resolved(member, spec, within)]));
  const { $ref, ...own } = /** @type {Record<string, unknown>} */ (value);
  // Also a member of an example or of `properties` can have this name.
  if (typeof $ref !== 'string') return membersOf(value);
  if (within.includes($ref)) return value;
  const target = resolved(valueAt(spec, $ref.split('/').slice(1)), spec, [...within, $ref]);
  // Swagger UI takes the name of a schema from $$ref.
  return { .../** @type {object} */ (target), ...membersOf(own), $$ref: $ref };
}

/**
 * @param {object} spec
 * @param {readonly string[]} path
 */
function valueAt(spec, path) {
  /** @type {unknown} */
  let value = spec;
  for (const name of path) value = /** @type {Record<string, unknown> | undefined} */ (value)?.[name];
  return value;
}
