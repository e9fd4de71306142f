import { requestOpener } from './open-request.js';
import { requestHistory } from './request-history.js';

/** What the page said before the scripts were loaded. It stays, so that nothing moves. */
const FIRST_TEXT = document.querySelector('#introduction')?.innerHTML ?? '';

/** The paragraph of the document's description that is, like those before it, part of that text. */
const AUTHENTICATION = 1;

/**
 * The explorer's page: what to know first, the server and the key, the filter, the operations; on a wide screen with a
 * table of contents beside them.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const explorerLayout =
  ({ openapi, info, externalDocs, paths }) =>
  ({ React, ...plugged }) => {
    const { createElement, useEffect, useState } = React;
    const { reveal, open } = requestOpener({ paths }, plugged);
    const RequestHistory = requestHistory(React, open);
    return {
      components: { ExplorerLayout },
      statePlugins: {
        // Swagger UI's own scrolling does not know of the bar at the top.
        layout: {
          wrapActions: { scrollToElement: () => (/** @type {Element} */ element) => element.scrollIntoView() },
        },
        // The service sends webhooks; nobody else can.
        spec: {
          wrapSelectors: {
            allowTryItOutFor: () => (/** @type {unknown} */ _state, /** @type {string} */ path) => path.startsWith('/'),
          },
        },
      },
    };

    /** @param {System} system */
    function ExplorerLayout({ getComponent, specSelectors, layoutSelectors }) {
      const container = (/** @type {string} */ name) => createElement(getComponent(name, true), null);
      const [place, setPlace] = useState(location.hash);
      // Swagger UI changes the address after it has opened or closed an operation, without an event.
      useEffect(() => setPlace(location.hash));
      useEffect(() => {
        const follow = () => {
          const [, tag, operationId] = decodeURIComponent(location.hash).split('/');
          if (tag && operationId) reveal(tag, operationId);
        };
        addEventListener('hashchange', follow);
        return () => removeEventListener('hashchange', follow);
      }, []);
      const tags = specSelectors.taggedOperations();
      return createElement(
        'div',
        { className: 'swagger-ui explorer' },
        container('SvgAssets'),
        createElement('nav', { className: 'contents', 'aria-label': 'Operations' }, contents(tags, place)),
        createElement(
          'main',
          { id: 'content', tabIndex: -1 },
          introduction(/** @type {Component<{ source: string }>} */ (getComponent('Markdown', true))),
          createElement(
            'div',
            { className: 'connection' },
            createElement(
              'div',
              null,
              createElement('label', { htmlFor: 'servers' }, 'Server'),
              container('ServersContainer'),
            ),
            container('AuthorizeBtnContainer'),
            container('KeyInUse'),
          ),
          createElement(RequestHistory, null),
          container('FilterContainer'),
          container('errors'),
          createElement('h2', { className: 'visually-hidden' }, 'Operations'),
          tags.size > 0
            ? container('operations')
            : createElement(
                'p',
                { className: 'nothing-found' },
                `No operation matches “${layoutSelectors.currentFilter()}”.`,
              ),
          // The filter searches operations only.
          (layoutSelectors.currentFilter() === true || layoutSelectors.currentFilter() === '') && container('Webhooks'),
          container('Models'),
        ),
      );
    }

    /** @param {Component<{ source: string }>} Markdown */
    function introduction(Markdown) {
      const rest = (info.description ?? '').split('\n\n').slice(AUTHENTICATION + 1);
      return createElement(
        'header',
        { className: 'introduction' },
        createElement('div', { dangerouslySetInnerHTML: { __html: FIRST_TEXT } }),
        createElement(
          'p',
          { className: 'versions' },
          createElement('span', { className: 'badge' }, `Version ${info.version}`),
          createElement('span', { className: 'badge' }, `OpenAPI ${openapi}`),
          ...linksOf(info, externalDocs).map(({ text, url }) => createElement('a', { key: url, href: url }, text)),
        ),
        rest.length > 0 &&
          createElement(
            'details',
            { className: 'more' },
            createElement('summary', null, 'More about limits, errors and lifecycle'),
            createElement(Markdown, { source: rest.join('\n\n') }),
          ),
      );
    }

    /**
     * @param {Immutable} tags
     * @param {string} place the fragment of the address
     */
    function contents(tags, place) {
      const byTag = /** @type {Record<string, TaggedOperations>} */ (tags.toJS());
      return Object.entries(byTag).map(([tag, { operations }]) =>
        createElement(
          'section',
          { key: tag },
          createElement('p', { className: 'tag', id: `contents-${tag}` }, tag),
          createElement(
            'ul',
            { 'aria-labelledby': `contents-${tag}` },
            ...operations.map(({ method, operation: { operationId, summary, deprecated = false } }) => {
              const href = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
              return createElement(
                'li',
                { key: operationId },
                createElement(
                  'a',
                  {
                    href,
                    ...(href === place && { 'aria-current': 'location' }),
                    className: deprecated ? 'deprecated' : '',
                    onClick: (/** @type {Event} */ event) => {
                      event.preventDefault();
                      reveal(tag, operationId);
                    },
                  },
                  createElement('span', null, summary),
                  createElement('span', { className: `method ${method}` }, method.toUpperCase()),
                ),
              );
            }),
          ),
        ),
      );
    }
  };

/**
 * @param {OpenApiDocument['info']} info
 * @param {OpenApiDocument['externalDocs']} externalDocs
 */
function linksOf({ contact, license }, externalDocs) {
  return [
    { text: 'openapi.json', url: addressOf('../../../../openapi.json') },
    { text: 'openapi.yaml', url: addressOf('../../../../openapi.yaml') },
    { text: externalDocs?.description ?? 'Manual', url: externalDocs?.url },
    { text: contact?.name ?? 'Contact', url: contact?.url ?? (contact?.email && `mailto:${contact.email}`) },
    { text: `${license?.name} licence`, url: license?.url },
  ].filter(({ url }) => url !== undefined);
}

/** @param {string} path relative to this script */
function addressOf(path) {
  return new URL(path, import.meta.url).href;
}
