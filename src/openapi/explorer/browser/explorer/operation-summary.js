import { localDate } from '../site/local-time.js';

/**
 * The row of an operation: one button, with a badge that says how long clients can rely on it.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const operationSummary =
  ({ paths, webhooks = {} }) =>
  ({ React: { createElement } }) => {
    return { components: { OperationSummary } };

    /**
     * @typedef {object} Operation
     * @property {string} method
     * @property {string} path
     *
     * @param {{ operationProps: { toObject(): Operation }, isShown: boolean, toggleShown: () => void }} props
     */
    function OperationSummary({ operationProps, isShown, toggleShown }) {
      const { method, path } = operationProps.toObject();
      // Swagger UI itself knows no more of an operation than its summary until it is opened.
      const operation = (paths[path] ?? webhooks[path])?.[method];
      if (operation === undefined) return null;
      return createElement(
        'div',
        { className: `opblock-summary opblock-summary-${method}` },
        createElement(
          'button',
          { type: 'button', className: 'opblock-summary-control', 'aria-expanded': isShown, onClick: toggleShown },
          createElement('span', { className: 'opblock-summary-method' }, method.toUpperCase()),
          createElement(
            'span',
            { className: 'operation-title' },
            createElement('span', { className: 'operation-name' }, operation.summary),
            createElement('span', { className: 'operation-path' }, ...breakable(path)),
          ),
          createElement('span', { className: 'operation-badges' }, ...badges(operation)),
          createElement('code', { className: 'operation-id' }, operation.operationId),
          createElement('span', { className: 'chevron', 'aria-hidden': true }),
        ),
      );
    }

    /** @param {string} path that may be broken before each slash */
    function breakable(path) {
      return path.split(/(?=\/)/).flatMap((part, index) => (index === 0 ? [part] : [createElement('wbr', null), part]));
    }

    /** @param {DocumentedOperation} operation */
    function badges({ deprecated = false, 'x-sunset': sunset, 'x-stability': stability }) {
      const kind = deprecated ? 'deprecated' : stability;
      const text = deprecated && sunset !== undefined ? `deprecated, removal on ${localDate(sunset)}` : kind;
      return kind === undefined ? [] : [createElement('span', { className: `badge ${kind}` }, text)];
    }
  };
