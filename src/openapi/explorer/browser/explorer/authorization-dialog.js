import { withoutScheme } from '../site/stored-key.js';

/**
 * The dialog behind Authorize: takes a key, says where one comes from and where it is kept.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const authorizationDialog =
  ({ components: { securitySchemes } }) =>
  ({ React: { createElement, useEffect, useRef } }) => {
    return { components: { authorizationPopup: AuthorizationDialog } };

    /** @param {System} props */
    function AuthorizationDialog({ authActions, authSelectors }) {
      const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
      useEffect(() => dialog.current?.showModal(), []);
      const close = () => authActions.showDefinitions(false);
      const [name = '', schema] = Object.entries(securitySchemes)[0] ?? [];
      /** @param {{ preventDefault(): void, target: HTMLFormElement }} event */
      const authorize = (event) => {
        event.preventDefault();
        const value = withoutScheme(String(new FormData(event.target).get('key')));
        authActions.authorizeWithPersistOption({ [name]: { name, schema, value } });
        close();
      };
      const logOut = () => authActions.logoutWithPersistOption([name]);
      return createElement(
        'dialog',
        {
          ref: dialog,
          className: 'authorization',
          'aria-labelledby': 'authorization-title',
          onClose: close,
          onClick: (/** @type {MouseEvent} */ { target }) => {
            if (target === dialog.current) close();
          },
        },
        createElement('h2', { id: 'authorization-title' }, 'Authorize'),
        authSelectors.authorized().get(name) === undefined ? form(authorize, close) : authorized(logOut, close),
        ...advice(),
      );
    }

    /**
     * @param {(event: { preventDefault(): void, target: HTMLFormElement }) => void} onSubmit
     * @param {() => void} onClose
     */
    function form(onSubmit, onClose) {
      return createElement(
        'form',
        { onSubmit },
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
        }),
        createElement(
          'div',
          { className: 'actions' },
          createElement('button', { type: 'submit', className: 'btn authorize' }, 'Authorize'),
          button('Close', onClose),
        ),
      );
    }

    /**
     * @param {() => void} onLogOut
     * @param {() => void} onClose
     */
    function authorized(onLogOut, onClose) {
      return createElement(
        'div',
        null,
        createElement('p', null, 'This page sends your key with each request.'),
        createElement('div', { className: 'actions' }, button('Log out', onLogOut), button('Close', onClose)),
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
      const code = (/** @type {string} */ text) => createElement('code', null, text);
      return [
        createElement('h3', { key: 'source' }, 'Where a key comes from'),
        createElement(
          'ul',
          { key: 'sources' },
          createElement('li', null, 'The first start with the default database prints one.'),
          createElement(
            'li',
            null,
            'An operator creates one: ',
            code('npm run --silent keys -- create --account NAME --plan free'),
          ),
          createElement(
            'li',
            null,
            'The operations under Keys create more. They need a key with the scope ',
            code('keys:manage'),
            '. A key has that scope only if it was created with ',
            code('--scopes'),
            '.',
          ),
        ),
        createElement('h3', { key: 'place' }, 'Where it is kept'),
        createElement(
          'p',
          { key: 'storage' },
          'This browser stores the key for this address (local storage) until you log out. Whoever uses this browser can read it.',
        ),
      ];
    }
  };
