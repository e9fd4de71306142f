/**
 * Gives fields a name that screen readers can tell; Swagger UI's have none.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function fieldNames({ React: { createElement, Fragment, useEffect, useId, useRef } }) {
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

      /** @param {Component<AreaProps>} Original */
      TextArea: (Original) => (/** @type {AreaProps} */ props) =>
        props.className?.startsWith('body-param') ? createElement(BodyField, props) : createElement(Original, props),

      /** @param {Component<object>} Original */
      ExamplesSelect: (Original) => (/** @type {object} */ props) => named('Example', createElement(Original, props)),
    },
  };

  /**
   * The field of a request body. Swagger UI says only in a tooltip that it sends nothing, because a required body is empty.
   * @param {AreaProps} props
   */
  function BodyField({ title, ...props }) {
    const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
    const problemId = useId();
    // Swagger UI keeps the error until the next attempt.
    const isMissing = title !== '' && props.value === '';
    useEffect(() => {
      if (isMissing) field.current?.focus();
    }, [isMissing]);
    return createElement(
      Fragment,
      null,
      createElement('textarea', {
        ...props,
        ref: field,
        'aria-label': 'Request body',
        ...(isMissing && { 'aria-invalid': true, 'aria-describedby': problemId }),
      }),
      isMissing &&
        createElement(
          'p',
          { id: problemId, className: 'problem', role: 'alert' },
          'The request was not sent: this operation needs a body.',
        ),
    );
  }

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

/** @typedef {{ readonly className?: string, readonly title?: string, readonly value?: string }} AreaProps */
