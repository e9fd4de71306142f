import { localTime } from '../site/local-time.js';
import { usageOf } from './key-usage.js';
import { authorizedKey, retryTime, useSecondsUntil } from './retry.js';
import { serverAddress } from './servers.js';

/**
 * What to do after a response without success that the person can do something about.
 * @param {OpenApiDocument} document
 * @returns {(system: System) => UiPlugin}
 */
export const refusalAdvice =
  ({ paths }) =>
  ({ React, authSelectors, oas3Selectors }) => {
    const { createElement, useEffect, useState } = React;
    return { components: { RefusalAdvice } };

    /** @param {Refused} props */
    function RefusalAdvice(props) {
      if (props.status === 401)
        return advice(
          'Press Authorize at the top of the page and paste an API key. The requests left are those of your address, not of a plan.',
        );
      if (props.status === 403) return createElement(ScopeAdvice, props);
      return props.status === 429 ? createElement(RetryAdvice, props) : null;
    }

    /** @param {Refused} props */
    function ScopeAdvice({ path, method, response }) {
      const [scopes, setScopes] = useState(/** @type {readonly string[] | undefined} */ (undefined));
      useEffect(() => {
        let isShown = true;
        const key = authorizedKey(authSelectors);
        if (key !== undefined)
          void usageOf(serverAddress(oas3Selectors), key).then(({ usage }) => {
            if (isShown) setScopes(usage?.key?.scopes);
          });
        return () => {
          isShown = false;
        };
      }, [response]);
      const needed = Object.values(paths[path]?.[method]?.security?.[0] ?? {}).flat();
      // A rehearsed 403 says nothing about the key.
      if (scopes === undefined || needed.every((scope) => scopes.includes(scope))) return null;
      const own = scopes.length === 0 ? 'no scope' : `the scopes ${scopes.join(', ')}`;
      return advice(`This key has ${own}, this operation needs ${needed.join(', ')}.`);
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
  };

/** @param {number} seconds */
function duration(seconds) {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const named = parts.map((part, index) => (part === 0 ? '' : `${part} ${['h', 'min', 's'][index]}`));
  return named.filter((part) => part !== '').join(' ');
}

/** @typedef {import('./retry.js').Target & { readonly status: number | undefined, readonly response: Immutable }} Refused */
