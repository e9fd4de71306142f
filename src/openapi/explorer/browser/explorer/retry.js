/**
 * Keeps the button Execute from sending a request again before its Retry-After is over: the service would refuse it, and
 * ban the key in the end.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function waitingToRetry({ React, authSelectors }) {
  const { createElement } = React;
  return {
    wrapComponents: {
      /** @param {Component<ExecuteProps>} Original */
      execute: (Original) =>
        /** @param {ExecuteProps} props */
        function ExecuteLater(props) {
          const seconds = useSecondsUntil(React, retryTime(props, authSelectors) ?? 0);
          return createElement(Original, { ...props, disabled: props.disabled === true || seconds > 0 });
        },
    },
  };
}

/**
 * When the last request of an operation can be sent again, in Unix milliseconds; nothing if it was not refused for a while,
 * or with another key than the present one.
 * @param {Target} target
 * @param {System['authSelectors']} authSelectors
 */
export function retryTime({ path, method, specSelectors }, authSelectors) {
  const response = /** @type {Refusal | undefined} */ (specSelectors.responseFor(path, method)?.toJS());
  const waitSeconds = Number(response?.headers?.['retry-after'] ?? NaN);
  if (response?.status !== 429 || Number.isNaN(waitSeconds)) return undefined;
  const { headers = {} } = /** @type {{ headers?: Record<string, string> }} */ (
    specSelectors.requestFor(path, method).toJS()
  );
  const key = authorizedKey(authSelectors);
  const isSameKey = headers['Authorization'] === (key && `Bearer ${key}`);
  return isSameKey ? (response.receivedMs ?? 0) + waitSeconds * 1000 : undefined;
}

/**
 * @param {System['authSelectors']} authSelectors
 * @returns {string | undefined}
 */
export function authorizedKey(authSelectors) {
  const authorized = /** @type {Record<string, { value?: string }>} */ (authSelectors.authorized().toJS());
  return Object.values(authorized)[0]?.value;
}

/**
 * Draws the component again until a time is reached.
 * @param {React} react
 * @param {number} timeMs
 */
export function useSecondsUntil({ useEffect, useState }, timeMs) {
  const [, redraw] = useState(0);
  const seconds = Math.max(0, Math.ceil((timeMs - Date.now()) / 1000));
  const isOver = seconds === 0;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => redraw(Date.now()), REDRAW_MS);
    return () => clearInterval(timer);
  }, [timeMs, isOver]);
  return seconds;
}

const REDRAW_MS = 250;

/**
 * @typedef {{ readonly path: string, readonly method: string } & Pick<System, 'specSelectors'>} Target
 * @typedef {Target & { readonly disabled?: boolean }} ExecuteProps
 * @typedef {{ status?: number, headers?: Record<string, string>, receivedMs?: number }} Refusal
 */
