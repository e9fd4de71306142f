/**
 * Collapses each documented response to its code and meaning, and its headers once more: all of them at once make an
 * operation several screens high.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function documentedResponses({ React: { createElement, Fragment, useState } }) {
  return {
    wrapComponents: {
      /** @param {Component<ResponseProps>} Original */
      response: (Original) =>
        /** @param {ResponseProps} props */
        function CollapsedResponse(props) {
          const { code, className, response } = props;
          // Readers look for what they get.
          const [isOpen, setOpen] = useState(code.startsWith('20'));
          const description = String(response.get('description') ?? '');
          const [meaning = '', ...details] = meanings(description) ?? description.split('\n\n');
          return createElement(
            Fragment,
            null,
            createElement(
              'tr',
              { className: `response-row ${className}`, 'data-code': code },
              createElement('td', { className: 'response-col_status' }, code),
              createElement(
                'td',
                { className: 'response-col_description', colSpan: 2 },
                createElement(
                  'button',
                  { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) },
                  createElement('span', { className: 'visually-hidden' }, `${code}: `),
                  meaning.replaceAll('`', ''),
                  createElement('span', { className: 'chevron', 'aria-hidden': true }),
                ),
              ),
            ),
            isOpen &&
              createElement(Original, { ...props, response: response.set('description', details.join('\n\n')) }),
          );
        },

      /** @param {Component<HeadersProps>} Original */
      headers: (Original) =>
        /** @param {HeadersProps} props */
        function HeadersOnDemand(props) {
          if (props.headers.size === 0) return null;
          return createElement(
            'details',
            { className: 'response-headers' },
            createElement('summary', null, `Headers (${props.headers.size})`),
            createElement(Original, props),
          );
        },
    },
  };
}

/**
 * The codes of an error response that lists several, and the list.
 * @param {string} description
 */
function meanings(description) {
  const codes = [...description.matchAll(/^- `(\w+)`/gm)].map(([, code]) => code);
  return codes.length > 0 ? [codes.join(', '), description] : undefined;
}

/**
 * @typedef {{ readonly code: string, readonly className: string, readonly response: Immutable }} ResponseProps
 * @typedef {{ readonly headers: Immutable }} HeadersProps
 */
