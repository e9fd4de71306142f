import { planName } from './key-summary.js';
import { usageOf } from './key-usage.js';
import { authorizedKey } from './retry.js';
import { serverAddress } from './servers.js';

/**
 * Says whose key the page sends, as the service that serves the page tells it. Nothing of a key that it does not accept.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function keyInUse({ React: { createElement, useEffect, useState } }) {
  return { components: { KeyInUse } };

  /** @param {System} props */
  function KeyInUse({ authSelectors, oas3Selectors }) {
    const [usage, setUsage] = useState(/** @type {import('./key-usage.js').Usage | undefined} */ (undefined));
    const key = authorizedKey(authSelectors);
    const server = serverAddress(oas3Selectors);
    useEffect(() => {
      setUsage(undefined);
      // Another server gets a key only with a request that a person sends.
      if (key === undefined || new URL(server).origin !== location.origin) return undefined;
      let isCurrent = true;
      void usageOf(server, key).then((answer) => {
        if (isCurrent) setUsage(answer.usage);
      });
      return () => {
        isCurrent = false;
      };
    }, [key, server]);
    return createElement(
      'p',
      { className: 'key-in-use', role: 'status' },
      usage !== undefined && [
        'Requests use the quota of ',
        createElement('strong', { key: 'account' }, usage.account),
        ` on the ${planName(usage)} plan.`,
      ],
    );
  }
}
