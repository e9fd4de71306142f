import { localTime } from '../site/local-time.js';
import { indentJson } from './exact-json.js';
import { requestOpener } from './open-request.js';

/**
 * The response to a request that was tried out, with what matters first: status, duration, what is left of the plan, and
 * the body as it went over the wire.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const liveResponse = (spec) => (system) => {
  const { createElement, useEffect, useRef } = system.React;
  const { specActions } = system;
  const opener = requestOpener(spec, system);
  return {
    components: { liveResponse: LiveResponse },
    statePlugins: {
      spec: {
        wrapActions: {
          // Called when a request is not sent, because the form is not valid: the response is that of another.
          clearValidateParams:
            (/** @type {(operation: readonly [string, string]) => unknown} */ original) =>
            (/** @type {readonly [path: string, method: string]} */ operation) => {
              specActions.clearResponse(...operation);
              return original(operation);
            },
        },
      },
    },
  };

  /** @param {{ response: Immutable, path: string, method: string } & Pick<System, 'getComponent' | 'specSelectors'>} props */
  function LiveResponse({ response, path, method, getComponent, specSelectors }) {
    const { status, headers, text, duration, receivedMs } = /** @type {Response} */ (response.toJS());
    const Advice = /** @type {Component<object>} */ (getComponent('RefusalAdvice'));
    const Samples = /** @type {Component<object>} */ (getComponent('RequestSamples', true));
    const section = useRef(/** @type {HTMLElement | null} */ (null));
    useEffect(() => {
      // Once it is drawn, and Execute, which was disabled while the request was running, has lost the focus.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) section.current?.focus();
        section.current?.firstElementChild?.scrollIntoView({ block: 'nearest' });
      });
    }, [receivedMs]);
    const isRehearsed = headers['preference-applied'] !== undefined;
    const help = /<([^>]+)>; rel="help"/.exec(whole(headers['link']))?.[1];
    const code = help?.split('#')[1];
    return createElement(
      'section',
      {
        className: 'live-response',
        'aria-label': `Response to ${method.toUpperCase()} ${path}`,
        ref: section,
        tabIndex: -1,
      },
      createElement(
        'p',
        { className: 'live-status', role: 'status' },
        createElement(
          'strong',
          { className: `live-code ${status === undefined || status >= 400 ? 'failed' : 'succeeded'}` },
          status === undefined ? 'No response' : `${status} ${reasonOf(status)}`,
        ),
        duration !== undefined && createElement('span', { className: 'live-duration' }, inMilliseconds(duration)),
        createElement('span', { className: 'live-quota' }, quotaOf(status, headers, isRehearsed)),
      ),
      status === undefined &&
        createElement('p', null, 'The server cannot be reached, or does not allow this page to call it (CORS).'),
      isRehearsed
        ? createElement('p', { className: 'live-advice' }, 'This error is rehearsed: the request had no other effect.')
        : createElement(Advice, { status, code, path, method, specSelectors }),
      help !== undefined && createElement('p', null, createElement('a', { href: help }, 'What this error means')),
      typeof text === 'string' &&
        text !== '' &&
        createElement('div', { className: 'live-body' }, body(text, headers, getComponent)),
      further(method, headers),
      text instanceof Blob &&
        text.size > 0 &&
        createElement(
          'p',
          null,
          `${text.size.toLocaleString()} bytes of ${text.type || 'an unknown type'}, which are not shown here.`,
        ),
      createElement(
        'details',
        null,
        createElement('summary', null, `Response headers (${Object.keys(headers).length})`),
        createElement(
          'dl',
          { className: 'live-headers' },
          ...Object.entries(headers).flatMap(([name, value]) => [
            createElement('dt', { key: name }, name),
            createElement('dd', { key: `${name} value` }, whole(value)),
          ]),
        ),
      ),
      createElement(Samples, { path, method }),
    );
  }

  /**
   * @param {string} text
   * @param {Headers} headers
   * @param {System['getComponent']} getComponent
   */
  function body(text, headers, getComponent) {
    const type = whole(headers['content-type']);
    if (!type.includes('json')) return createElement('pre', { tabIndex: 0 }, text);
    const HighlightCode = getComponent('HighlightCode', true);
    return createElement(
      HighlightCode,
      { language: 'json', canCopy: true, downloadable: true, fileName: 'response.json' },
      indentJson(text),
    );
  }

  /**
   * Buttons that lead on: to the next page, and to what was created.
   * @param {string} method
   * @param {Headers} headers
   */
  function further(method, headers) {
    const next = /<([^>]+)>; rel="next"/.exec(whole(headers['link']))?.[1];
    const created = whole(headers['location']);
    const steps = [
      { name: 'Next page', verb: method, address: next },
      { name: `Open ${created}`, verb: 'get', address: created === '' ? undefined : created },
    ];
    const buttons = steps.flatMap(({ name, verb, address }) =>
      address === undefined || opener.find(verb, address) === undefined
        ? []
        : [
            createElement(
              'button',
              { type: 'button', className: 'btn', onClick: () => opener.open(verb, address, { isSent: true }) },
              name,
            ),
          ],
    );
    return buttons.length > 0 && createElement('p', { className: 'live-further' }, ...buttons);
  }
};

/**
 * @typedef {string | readonly string[] | undefined} HeaderValue Swagger UI splits a value at each comma and space.
 * @typedef {Readonly<Record<string, HeaderValue>>} Headers
 * @typedef {object} Response
 * @property {number} [status] missing where there was no response
 * @property {Headers} headers
 * @property {string | Blob} [text] a Blob where the response has no content type, or none of text
 * @property {number} [duration] in milliseconds
 * @property {number} [receivedMs] when it was received, in Unix time
 */

/** @type {Readonly<Record<number, string>>} */
const REASONS = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/**
 * The value as it was sent.
 * @param {HeaderValue} value
 */
function whole(value = '') {
  return typeof value === 'string' ? value : value.join(', ');
}

/** @param {number} status */
function reasonOf(status) {
  return REASONS[status] ?? '';
}

/** @param {number} duration */
function inMilliseconds(duration) {
  return `${duration.toFixed(duration < 10 ? 1 : 0)} ms`;
}

/**
 * @param {number | undefined} status
 * @param {Headers} headers
 * @param {boolean} isRehearsed
 */
function quotaOf(status, headers, isRehearsed) {
  const remaining = headers['x-ratelimit-remaining'];
  const limit = headers['x-ratelimit-limit'];
  const reset = headers['x-ratelimit-reset'];
  if (remaining === undefined || limit === undefined || reset === undefined) return '';
  const left = `${Number(remaining).toLocaleString()} of ${Number(limit).toLocaleString()}`;
  // These are not of a plan: the service counts them for the address of this browser.
  const requests = status === 401 && !isRehearsed ? 'requests without a valid key' : 'requests';
  return `${left} ${requests} left until ${localTime(Number(reset) * 1000)}`;
}
