/**
 * Opens operations, also with the values of a request in their form.
 * @param {Pick<OpenApiDocument, 'paths'>} spec
 * @param {Pick<System, 'layoutActions' | 'layoutSelectors' | 'specActions' | 'specSelectors'>} system
 */
export function requestOpener({ paths }, { layoutActions, layoutSelectors, specActions, specSelectors }) {
  return { reveal, find, open };

  /**
   * @param {string} tag
   * @param {string} operationId
   */
  function reveal(tag, operationId) {
    // Each call adds an entry to the history of the browser.
    if (!layoutSelectors.isShown(['operations-tag', tag], true)) layoutActions.show(['operations-tag', tag], true);
    layoutActions.show(['operations', tag, operationId], true);
    // Once it is drawn.
    requestAnimationFrame(() => document.getElementById(`operations-${tag}-${operationId}`)?.scrollIntoView());
  }

  /**
   * The operation that a request calls, whatever the address of the API is.
   * @param {string} method
   * @param {string} address
   */
  function find(method, address) {
    const { pathname } = new URL(address, location.href);
    const [found] = Object.entries(paths)
      .flatMap(([path, operations]) => {
        const operation = operations[method];
        const match = new RegExp(`${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
        return operation === undefined || match === null ? [] : [{ path, operation, values: match.groups ?? {} }];
      })
      // `/keys/{keyId}/usage` ends as `/usage` does.
      .toSorted((one, other) => other.path.length - one.path.length);
    return found;
  }

  /**
   * @param {string} method
   * @param {string} address of a request
   * @param {{ isSent?: boolean }} [options]
   */
  async function open(method, address, { isSent = false } = {}) {
    const found = find(method, address);
    if (found === undefined) return;
    const { path, operation, values } = found;
    if (!layoutSelectors.isShown(['operations', operation.tags[0], operation.operationId], false))
      reveal(operation.tags[0], operation.operationId);
    const resolved = await resolvedOperation(path, method);
    const { searchParams } = new URL(address, location.href);
    const parameters = /** @type {Iterable<Immutable> | undefined} */ (resolved?.get('parameters'));
    for (const parameter of parameters ?? []) {
      const name = String(parameter.get('name'));
      const schema = /** @type {Immutable | undefined} */ (parameter.get('schema'));
      const given = searchParams.getAll(name).flatMap((value) => (value === '' ? [] : value.split(',')));
      const list = given.length === 0 ? undefined : given;
      const inQuery = schema?.get('type') === 'array' ? list : (searchParams.get(name) ?? '');
      const place = parameter.get('in');
      if (place === 'query') specActions.changeParamByIdentity([path, method], parameter, inQuery);
      if (place === 'path')
        specActions.changeParamByIdentity([path, method], parameter, decodeURIComponent(values[name] ?? ''));
    }
    if (isSent) specActions.execute({ path, method, operation: resolved });
  }

  /**
   * Swagger UI resolves the references of an operation some time after it was opened.
   * @param {string} path
   * @param {string} method
   */
  async function resolvedOperation(path, method) {
    for (;;) {
      const resolved = specSelectors.specResolvedSubtree(['paths', path, method]);
      if (resolved !== undefined) return resolved;
      await new Promise((resolve) => {
        setTimeout(resolve, POLL_MS);
      });
    }
  }
}

const POLL_MS = 20;
