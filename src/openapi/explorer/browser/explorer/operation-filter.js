/**
 * A box that filters operations by method, path, summary, id, tag, stability and scope; Swagger UI's own filters tags only.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function operationFilter({ React: { createElement, useEffect, useRef } }) {
  return {
    fn: {
      /**
       * @param {Immutable} tags
       * @param {string} phrase
       */
      opsFilter(tags, phrase) {
        const words = phrase.toLowerCase().split(/\s+/);
        return tags
          .map((tag, name) => {
            const operations = /** @type {Immutable} */ (tag.get('operations'));
            return tag.set(
              'operations',
              operations.filter((operation) => {
                const text = searchText(name, /** @type {ListedOperation} */ (operation.toJS()));
                return words.every((word) => text.includes(word));
              }),
            );
          })
          .filter((tag) => /** @type {Immutable} */ (tag.get('operations')).size > 0);
      },
    },
    components: { FilterContainer },
  };

  /** @param {System} props */
  function FilterContainer({ layoutActions, layoutSelectors, specSelectors }) {
    const input = useRef(/** @type {HTMLInputElement | null} */ (null));
    useEffect(() => {
      /** @param {KeyboardEvent} event */
      const focus = (event) => {
        if (event.key !== '/' || event.target !== document.body) return;
        event.preventDefault();
        input.current?.focus();
      };
      addEventListener('keydown', focus);
      return () => removeEventListener('keydown', focus);
    }, []);
    const phrase = layoutSelectors.currentFilter();
    const tags = /** @type {TaggedOperations[]} */ (
      Object.values(/** @type {object} */ (specSelectors.taggedOperations().toJS()))
    );
    const found = tags.reduce((sum, { operations }) => sum + operations.length, 0);
    return createElement(
      'div',
      { className: 'operation-filter', role: 'search' },
      createElement('label', { htmlFor: 'operation-filter' }, 'Filter operations'),
      createElement('input', {
        id: 'operation-filter',
        ref: input,
        type: 'search',
        autoComplete: 'off',
        spellCheck: false,
        placeholder: 'Path, name, tag, beta …',
        value: typeof phrase === 'string' ? phrase : '',
        onChange: (/** @type {{ target: HTMLInputElement }} */ { target }) => layoutActions.updateFilter(target.value),
      }),
      createElement(
        'span',
        { className: 'operation-count', role: 'status' },
        `${found} ${found === 1 ? 'operation' : 'operations'}`,
      ),
    );
  }
}

/**
 * @param {string} tag
 * @param {ListedOperation} operation
 */
function searchText(tag, { method, path, operation }) {
  const { operationId, summary = '', deprecated = false, 'x-stability': stability = '', security = [] } = operation;
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat());
  const texts = [method, path, summary, operationId, tag, deprecated ? 'deprecated' : stability, ...scopes];
  return texts.join(' ').toLowerCase();
}
