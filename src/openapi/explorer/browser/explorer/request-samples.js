import { copy, COPIED_MS } from '../site/copy.js';
import { LANGUAGES } from './sample-code.js';

/** Where the browser keeps the language that was chosen last. */
const STORAGE_KEY = 'petstore:sample-language';

/** Headers that a client sets by itself. */
const IMPLIED = /^accept: (?:application\/json|\*\/\*)$/i;

/**
 * The request of the form as code, as it is while the form is filled in. Swagger UI's own snippets show a request only
 * after it was sent, and with the key in it.
 * @param {OpenApiDocument} document
 * @returns {(system: System) => UiPlugin}
 */
export const requestSamples =
  ({ openapi, servers, paths }) =>
  ({ React: { createElement, Fragment, useEffect, useRef, useState }, fn }) => {
    return {
      components: { RequestSamples },
      wrapComponents: {
        /** @param {Component<ResponsesProps>} Original */
        responses: (Original) =>
          /** @param {ResponsesProps} props */
          function Results(props) {
            const { path, method, tryItOutResponse, getComponent } = props;
            const Samples = /** @type {Component<Target>} */ (getComponent('RequestSamples', true));
            // What came back shows them below itself.
            const isSent = tryItOutResponse !== null && tryItOutResponse !== undefined;
            const column = useRef(/** @type {HTMLElement | null} */ (null));
            useEffect(() => stickWhileItFits(column.current), []);
            return createElement(
              'div',
              { className: 'operation-results', ref: column },
              !isSent && path in paths && createElement(Samples, { path, method }),
              createElement(Original, props),
            );
          },
      },
    };

    /** @param {Target & System} props */
    function RequestSamples({ path, method, ...selectors }) {
      const [language, choose] = useState(chosenLanguage());
      const request = requestOf(path, method, selectors);
      const code = typeof request === 'string' ? undefined : LANGUAGES[language]?.(request);
      return createElement(
        'div',
        { className: 'samples', role: 'group', 'aria-label': 'Request samples' },
        createElement(
          'div',
          { className: 'samples-bar' },
          createElement(
            'div',
            { className: 'sample-languages', role: 'group', 'aria-label': 'Language' },
            ...Object.keys(LANGUAGES).map((name) =>
              createElement(
                'button',
                {
                  type: 'button',
                  'aria-pressed': name === language,
                  onClick: () => {
                    localStorage.setItem(STORAGE_KEY, name);
                    choose(name);
                  },
                },
                name,
              ),
            ),
          ),
          code !== undefined && createElement(CopyButton, { text: code }),
        ),
        code === undefined
          ? createElement('p', null, String(request))
          : createElement('pre', { className: 'sample', tabIndex: 0 }, createElement('code', null, code)),
      );
    }

    /** @param {{ text: string }} props */
    function CopyButton({ text }) {
      const [state, setState] = useState('Copy');
      const timer = useRef(/** @type {ReturnType<typeof setTimeout> | null} */ (null));
      const onClick = async () => {
        setState(await copy(text));
        clearTimeout(timer.current ?? undefined);
        timer.current = setTimeout(() => setState('Copy'), COPIED_MS);
      };
      return createElement(
        Fragment,
        null,
        createElement('button', { type: 'button', className: 'sample-copy', onClick }, state),
        createElement('span', { className: 'visually-hidden', role: 'status' }, state === 'Copy' ? '' : state),
      );
    }

    /**
     * The request that Execute would send, without the key.
     * @param {string} path
     * @param {string} method
     * @param {Pick<System, 'specSelectors' | 'oas3Selectors'>} selectors
     * @returns {import('./sample-code.js').SampleRequest | string} or why there is none
     */
    function requestOf(path, method, { specSelectors, oas3Selectors }) {
      const parameters = specSelectors.parameterValues([path, method]).toJS();
      const missing = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([placeholder, name]) =>
        (parameters[`path.${name}`] ?? '') === '' ? [{ placeholder, key: `path.${name}` }] : [],
      );
      for (const { placeholder, key } of missing) parameters[key] = placeholder;
      try {
        const request = fn.buildRequest({
          spec: { openapi, servers, paths: { [path]: { [method]: resolvedOperation(path, method, specSelectors) } } },
          pathName: path,
          method,
          operationId: paths[path]?.[method]?.operationId,
          parameters,
          contextUrl: specSelectors.url(),
          server: oas3Selectors.selectedServer(),
          requestContentType: oas3Selectors.requestContentType(path, method),
          responseContentType: oas3Selectors.responseContentType(path, method),
          requestBody: oas3Selectors.requestBodyValue(path, method),
        });
        const readable = missing.reduce(
          (url, { placeholder }) => url.replace(encodeURIComponent(placeholder), placeholder),
          new URL(request.url, location.href).href,
        );
        return {
          url: readable,
          method: request.method.toUpperCase(),
          headers: Object.entries(request.headers).filter(([name, value]) => !IMPLIED.test(`${name}: ${value}`)),
          ...(typeof request.body === 'string' && { body: request.body }),
          needsKey: (paths[path]?.[method]?.security ?? []).length > 0,
        };
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    }
  };

/**
 * Marks the results while the window has room for all of them, so that they can stay in view beside a long form. Larger ones
 * scroll with the page.
 * @param {HTMLElement | null} column
 */
function stickWhileItFits(column) {
  if (column === null) return undefined;
  const measure = () => {
    const top = Number.parseFloat(getComputedStyle(column).top);
    column.classList.toggle('fits', column.offsetHeight + top <= innerHeight);
  };
  const observer = new ResizeObserver(measure);
  observer.observe(column);
  addEventListener('resize', measure);
  return () => {
    observer.disconnect();
    removeEventListener('resize', measure);
  };
}

/** @type {WeakMap<Immutable, unknown>} */
const operations = new WeakMap();

/**
 * The operation without references. It is converted once: every open operation is drawn again with each key that is typed.
 * @param {string} path
 * @param {string} method
 * @param {System['specSelectors']} specSelectors
 */
function resolvedOperation(path, method, specSelectors) {
  const immutable = specSelectors.specResolvedSubtree(['paths', path, method]);
  if (immutable === undefined) return {};
  const known = operations.get(immutable) ?? immutable.toJS();
  operations.set(immutable, known);
  return known;
}

function chosenLanguage() {
  const chosen = localStorage.getItem(STORAGE_KEY) ?? '';
  return chosen in LANGUAGES ? chosen : 'curl';
}

/**
 * @typedef {{ readonly path: string, readonly method: string }} Target
 * @typedef {Target & Pick<System, 'getComponent'> & { readonly tryItOutResponse?: Immutable | null }} ResponsesProps
 */
