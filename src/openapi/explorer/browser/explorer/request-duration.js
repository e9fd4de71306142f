import { rememberRequest } from './request-history.js';

/**
 * Notes how long the request itself took, by the browser's own measurement, and when the response came; Swagger UI's
 * duration includes its own work, and it has none for errors.
 * @type {UiPlugin}
 */
export const requestDuration = {
  statePlugins: {
    spec: {
      wrapActions: {
        /**
         * @param {(path: string, method: string, result: Result) => void} original
         * @param {System} system
         */
        setResponse:
          (original, { specSelectors }) =>
          async (/** @type {string} */ path, /** @type {string} */ method, /** @type {Result} */ result) => {
            const response = result.err?.response ?? result;
            if (response.url !== undefined) {
              const duration = await durationOf(response.url);
              if (duration !== undefined) response.duration = duration;
            }
            response.receivedMs = Date.now();
            original(path, method, result);
            const url = /** @type {string} */ (specSelectors.requestFor(path, method).get('url'));
            rememberRequest(method, url, response.status);
          },
      },
    },
  },
};

/**
 * @typedef {{ url?: string, status?: number, duration?: number, receivedMs?: number, err?: { response?: Result } }} Result
 *
 * @param {string} url
 */
async function durationOf(url) {
  // The browser may note the request only after it has handed over the body.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const entry = performance.getEntriesByName(url, 'resource').at(-1);
    if (entry !== undefined) {
      // Otherwise the browser's list is full after 250 requests.
      performance.clearResourceTimings();
      return entry.duration;
    }
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
  }
  return undefined;
}
