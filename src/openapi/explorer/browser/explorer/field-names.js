/**
 * Gives fields a name that screen readers can tell; Swagger UI's have none.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function fieldNames({ React: { createElement } }) {
  return {
    components: {
      /**
       * An item of an array; Swagger UI has no component for this format, and reports that as an error.
       * @param {Pick<System, 'getComponent'>} props
       */
      JsonSchema_integer_int64: (props) => createElement(props.getComponent('JsonSchema_string'), props),
    },
    wrapComponents: {
      /** @param {Component<{ description: string }>} Original */
      JsonSchema_string: (Original) => (/** @type {{ description: string }} */ props) =>
        named(props.description, createElement(Original, props)),

      /** @param {Component<object>} Original */
      RequestBodyEditor: (Original) => (/** @type {object} */ props) =>
        named('Request body', createElement(Original, props)),

      /** @param {Component<object>} Original */
      ExamplesSelect: (Original) => (/** @type {object} */ props) => named('Example', createElement(Original, props)),
    },
  };

  /**
   * @param {string} name
   * @param {ReactNode} field
   */
  function named(name, field) {
    return createElement(
      'label',
      { className: 'named-field' },
      createElement('span', { className: 'visually-hidden' }, name),
      field,
    );
  }
}
