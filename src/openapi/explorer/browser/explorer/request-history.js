/** Where this tab keeps its requests: neither their keys nor their bodies. */
const STORAGE_KEY = 'petstore:requests';
const MOST_KEPT = 30;
const CHANGED = 'petstore:requested';
/** A key that somebody has put into an address. */
const KEYS = /psk_\w+/g;

/**
 * @typedef {object} SentRequest
 * @property {string} method
 * @property {string} address path and query
 * @property {number} [status] missing where there was no response
 * @property {number} timeMs
 */

/**
 * @param {string} method
 * @param {string} url
 * @param {number | undefined} status
 */
export function rememberRequest(method, url, status) {
  const { pathname, search } = new URL(url, location.href);
  const address = `${pathname}${search}`.replaceAll(KEYS, 'psk_…');
  store([{ method, address, timeMs: Date.now(), ...(status && { status }) }, ...sentRequests()].slice(0, MOST_KEPT));
}

/**
 * The requests of this tab, each of which can be opened again.
 * @param {System['React']} React
 * @param {(method: string, address: string) => void} open
 */
export const requestHistory = ({ createElement, useEffect, useState }, open) =>
  function RequestHistory() {
    const [requests, setRequests] = useState(sentRequests());
    useEffect(() => {
      const update = () => setRequests(sentRequests());
      addEventListener(CHANGED, update);
      return () => removeEventListener(CHANGED, update);
    }, []);
    if (requests.length === 0) return null;
    return createElement(
      'details',
      { className: 'request-history' },
      createElement('summary', null, `Requests in this tab (${requests.length})`),
      createElement(
        'ol',
        { 'aria-label': 'Requests in this tab, newest first' },
        ...requests.map(({ method, address, status, timeMs }) =>
          createElement(
            'li',
            null,
            createElement(
              'button',
              { type: 'button', onClick: () => open(method, address) },
              createElement('span', { className: `method ${method}` }, method.toUpperCase()),
              createElement('code', null, address),
              createElement('span', null, String(status ?? 'No response')),
              createElement(
                'time',
                { dateTime: new Date(timeMs).toISOString() },
                new Date(timeMs).toLocaleTimeString(),
              ),
            ),
          ),
        ),
      ),
      createElement('button', { type: 'button', className: 'btn', onClick: () => store([]) }, 'Clear'),
    );
  };

/** @returns {SentRequest[]} */
function sentRequests() {
  return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
}

/** @param {readonly SentRequest[]} requests */
function store(requests) {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(requests));
  dispatchEvent(new Event(CHANGED));
}
