import { closeByBackdrop } from '../site/backdrop.js';
import { STORAGE_KEY, withoutScheme } from '../site/stored-key.js';
import { keySummary } from './key-summary.js';
import { usageOf } from './key-usage.js';
import { authorizedKey } from './retry.js';
import { serverAddress } from './servers.js';

/**
 * The dialog behind Authorize: takes a key, asks the service about it, says where one comes from and where it is kept.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const authorizationDialog =
  ({ components: { securitySchemes } }) =>
  ({ React, authActions }) => {
    const { createElement, useEffect, useRef, useState } = React;
    const close = () => authActions.showDefinitions(false);
    return {
      components: { authorizationPopup: AuthorizationDialog },
      // Follows what another tab stores or removes.
      afterLoad: () =>
        addEventListener('storage', ({ key, newValue }) => {
          if (key === STORAGE_KEY) authActions.restoreAuthorization({ authorized: JSON.parse(newValue ?? '{}') });
        }),
    };

    /** @param {System} props */
    function AuthorizationDialog({ authSelectors, oas3Selectors }) {
      const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
      const [problem, setProblem] = useState('');
      const [isChecking, setChecking] = useState(false);
      const [usage, setUsage] = useState(/** @type {import('./key-usage.js').Usage | undefined} */ (undefined));
      const [name = '', schema] = Object.entries(securitySchemes)[0] ?? [];
      const stored = authorizedKey(authSelectors);

      /** @param {string} key */
      const check = async (key) => {
        setChecking(true);
        setProblem('');
        const answer = await usageOf(serverAddress(oas3Selectors), key);
        setChecking(false);
        setUsage(answer.usage);
        setProblem(answer.problem ?? '');
        return answer.usage !== undefined;
      };
      useEffect(() => {
        if (dialog.current === null) return;
        closeByBackdrop(dialog.current);
        dialog.current.showModal();
        if (stored !== undefined) void check(stored);
      }, []);
      /** @param {{ preventDefault(): void, target: HTMLFormElement }} event */
      const authorize = async (event) => {
        event.preventDefault();
        const value = withoutScheme(String(new FormData(event.target).get('key')));
        if (await check(value)) authActions.authorizeWithPersistOption({ [name]: { name, schema, value } });
      };
      const logOut = () => {
        authActions.logoutWithPersistOption([name]);
        setProblem('');
        setUsage(undefined);
      };
      return createElement(
        'dialog',
        {
          ref: dialog,
          className: 'authorization',
          'aria-labelledby': 'authorization-title',
          onClose: close,
        },
        createElement(
          'div',
          { className: 'authorization-content' },
          createElement('h2', { id: 'authorization-title' }, stored === undefined ? 'Authorize' : 'Your API key'),
          stored === undefined
            ? form(authorize, close, problem, isChecking)
            : authorized(logOut, close, problem, isChecking ? undefined : usage),
          ...(stored === undefined ? advice() : []),
          createElement('h3', null, 'Where the key is stored'),
          createElement(
            'p',
            null,
            'This browser stores the key in its local storage until you log out. Everybody who uses this browser can read it.',
          ),
        ),
      );
    }

    /**
     * @param {(event: { preventDefault(): void, target: HTMLFormElement }) => void} onSubmit
     * @param {() => void} onClose
     * @param {string} problem with the key that was given last
     * @param {boolean} isChecking
     */
    function form(onSubmit, onClose, problem, isChecking) {
      return createElement(
        'form',
        { key: 'form', onSubmit },
        createElement('label', { htmlFor: 'authorization-key' }, 'API key'),
        createElement('input', {
          id: 'authorization-key',
          name: 'key',
          type: 'text',
          required: true,
          autoFocus: true,
          autoComplete: 'off',
          spellCheck: false,
          placeholder: 'psk_…',
          ...(problem !== '' && { 'aria-invalid': true, 'aria-describedby': 'authorization-problem' }),
        }),
        problem !== '' &&
          createElement('p', { id: 'authorization-problem', className: 'problem', role: 'alert' }, problem),
        createElement(
          'div',
          { className: 'actions' },
          createElement(
            'button',
            { type: 'submit', className: 'btn authorize', disabled: isChecking },
            isChecking ? 'Checking …' : 'Authorize',
          ),
          button('Close', onClose),
        ),
      );
    }

    /**
     * @param {() => void} onLogOut
     * @param {() => void} onClose
     * @param {string} problem with the stored key
     * @param {import('./key-usage.js').Usage | undefined} usage
     */
    function authorized(onLogOut, onClose, problem, usage) {
      return createElement(
        'div',
        { key: 'authorized' },
        createElement('p', null, 'This page sends your key with each request.'),
        createElement(
          'div',
          { role: 'status' },
          problem !== '' && createElement('p', { className: 'problem' }, problem),
          usage !== undefined && keySummary(React, usage),
        ),
        createElement(
          'div',
          { className: 'actions' },
          createElement('button', { type: 'button', className: 'btn', onClick: onClose, autoFocus: true }, 'Close'),
          button('Log out', onLogOut),
        ),
      );
    }

    /**
     * @param {string} text
     * @param {() => void} onClick
     */
    function button(text, onClick) {
      return createElement('button', { type: 'button', className: 'btn', onClick }, text);
    }

    function advice() {
      // A hyphen is no place to break a line of a command.
      const code = (/** @type {string} */ text) =>
        createElement(
          'code',
          null,
          ...text
            .split(/( )/)
            .map((word) => (word === ' ' ? word : createElement('span', { className: 'word' }, word))),
        );
      return [
        createElement('h3', { key: 'source' }, 'How to get a key'),
        createElement(
          'ul',
          { key: 'sources' },
          createElement('li', null, 'Ask the operator of this service.'),
          createElement(
            'li',
            null,
            'If you run the service, its first start with the default database prints one. This creates one: ',
            code('npm run --silent keys -- create --account NAME --plan free'),
            ', or in your own package: ',
            code('npx petstore-keys create --account NAME --plan free'),
          ),
          createElement(
            'li',
            null,
            'The operations under Keys create more. They need a key with the scope ',
            code('keys:manage'),
            ', which a new key has only if the operator grants it.',
          ),
        ),
      ];
    }
  };
