import { indentJson } from './exact-json.js';

/**
 * The response to a request that was tried out, with what matters first: status, duration, what is left of the plan, and
 * the body as it went over the wire.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function liveResponse({ React: { createElement } }) {
  return { components: { liveResponse: LiveResponse } };

  /** @param {{ response: Immutable, path: string, method: string } & Pick<System, 'getComponent' | 'specSelectors'>} props */
  function LiveResponse({ response, path, method, getComponent, specSelectors }) {
    const request = specSelectors.requestFor(path, method);
    const { status, message, headers, text, duration } = /** @type {Response} */ (response.toJS());
    const Curl = /** @type {Component<{ request: Immutable }>} */ (getComponent('curl', true));
    return createElement(
      'section',
      { className: 'live-response', 'aria-label': 'Server response' },
      createElement(
        'p',
        { className: 'live-status', role: 'status' },
        createElement(
          'strong',
          { className: `live-code ${status === undefined || status >= 400 ? 'failed' : 'succeeded'}` },
          status === undefined ? 'No response' : `${status} ${reasonOf(status)}`,
        ),
        duration !== undefined && createElement('span', { className: 'live-duration' }, inMilliseconds(duration)),
        createElement('span', { className: 'live-quota' }, quotaOf(headers)),
      ),
      status === undefined && createElement('p', { className: 'live-failure' }, unreachable(message)),
      status === 401 &&
        createElement(
          'p',
          { className: 'live-advice' },
          'Press Authorize at the top of the page and paste an API key.',
        ),
      text !== undefined &&
        text !== '' &&
        createElement('div', { className: 'live-body' }, body(text, headers, getComponent)),
      createElement(
        'details',
        null,
        createElement('summary', null, `Response headers (${Object.keys(headers).length})`),
        createElement(
          'dl',
          { className: 'live-headers' },
          ...Object.entries(headers).flatMap(([name, value]) => [
            createElement('dt', { key: name }, name),
            createElement('dd', { key: `${name} value` }, String(value)),
          ]),
        ),
      ),
      createElement(
        'details',
        { className: 'live-request' },
        createElement('summary', null, 'Request as curl'),
        createElement(Curl, { request }),
      ),
    );
  }

  /**
   * @param {string} text
   * @param {Headers} headers
   * @param {System['getComponent']} getComponent
   */
  function body(text, headers, getComponent) {
    const type = headers['content-type'] ?? '';
    if (!type.includes('json')) return createElement('pre', { tabIndex: 0 }, text);
    const HighlightCode = getComponent('HighlightCode', true);
    return createElement(
      HighlightCode,
      { language: 'json', canCopy: true, downloadable: true, fileName: 'response.json' },
      indentJson(text),
    );
  }
}

/**
 * @typedef {Readonly<Record<string, string | undefined>>} Headers
 * @typedef {object} Response
 * @property {number} [status] missing where there was no response
 * @property {string} [message]
 * @property {Headers} headers
 * @property {string} [text]
 * @property {number} [duration] in milliseconds
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

/** @param {number} status */
function reasonOf(status) {
  return REASONS[status] ?? '';
}

/** @param {number} duration */
function inMilliseconds(duration) {
  return `${duration.toFixed(duration < 10 ? 1 : 0)} ms`;
}

/** @param {Headers} headers */
function quotaOf(headers) {
  const remaining = headers['x-ratelimit-remaining'];
  const limit = headers['x-ratelimit-limit'];
  const reset = headers['x-ratelimit-reset'];
  if (remaining === undefined || limit === undefined || reset === undefined) return '';
  const resetsAt = new Date(Number(reset) * 1000).toLocaleTimeString();
  const left = `${Number(remaining).toLocaleString()} of ${Number(limit).toLocaleString()}`;
  return `${left} requests left until ${resetsAt}`;
}

/** @param {string | undefined} message */
function unreachable(message) {
  return `${message ?? 'The request failed'}. The server cannot be reached, or does not allow this page to call it (CORS).`;
}
