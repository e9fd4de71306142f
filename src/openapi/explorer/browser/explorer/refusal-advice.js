import { localTime } from '../site/local-time.js';
import { retryTime, useSecondsUntil } from './retry.js';

/**
 * What to do after a response without success that the person can do something about.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function refusalAdvice({ React, authSelectors }) {
  const { createElement } = React;
  return { components: { RefusalAdvice } };

  /** @param {Refused} props */
  function RefusalAdvice(props) {
    if (props.status === 401)
      return advice(
        'Press Authorize at the top of the page and paste an API key. The requests left are those of your address, not of a plan.',
      );
    if (props.status === 403 && props.code === 'insufficient_scope')
      return advice('Press Authorize at the top of the page and use a key that has the scope.');
    return props.status === 429 ? createElement(RetryAdvice, props) : null;
  }

  /** @param {Refused} props */
  function RetryAdvice(props) {
    const timeMs = retryTime(props, authSelectors);
    const seconds = useSecondsUntil(React, timeMs ?? 0);
    if (timeMs === undefined) return null;
    if (seconds === 0) return advice('You can send the request again.');
    return advice(
      `You can send the request again at ${localTime(timeMs)}.`,
      // Not read out each second.
      createElement('span', { className: 'countdown', 'aria-hidden': true }, ` ${duration(seconds)} left.`),
    );
  }

  /** @param {ReactNode[]} text */
  function advice(...text) {
    return createElement('p', { className: 'live-advice', role: 'status' }, ...text);
  }
}

/** @param {number} seconds */
function duration(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const named = parts.map((part, index) => (part === 0 ? '' : `${part} ${['h', 'min', 's'][index]}`));
  return named.filter((part) => part !== '').join(' ');
}

/** @typedef {import('./retry.js').Target & { readonly status?: number, readonly code?: string }} Refused `code` of the Error */
