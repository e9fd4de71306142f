/** What Prefer begins with. */
const CODE = 'code=';

/**
 * Replaces the parameter Prefer, which only a staging service documents, by a choice of the errors that its operation
 * documents: the service ignores any other code silently.
 * @param {OpenApiDocument} spec
 * @returns {OpenApiDocument}
 */
export function withRehearsalMenus(spec) {
  /** @param {DocumentedOperation} operation */
  const withMenu = (operation) => ({
    ...operation,
    parameters: (operation.parameters ?? []).map((given) => {
      const parameter = resolved(spec.components.parameters, given);
      if (parameter.name !== 'Prefer') return given;
      const values = errorsOf(spec, operation).map(({ code }) => `${CODE}${code}`);
      return { ...parameter, description: DESCRIPTION, schema: { type: 'string', enum: values } };
    }),
  });
  return {
    ...spec,
    paths: mapValues(spec.paths, (operations) => mapValues(operations, withMenu)),
  };
}

const DESCRIPTION =
  'Makes the request return this error without any other effect. The response has `Preference-Applied`.';

/**
 * Shows the statuses of the errors in the menu.
 * @param {OpenApiDocument} spec
 * @returns {(system: System) => UiPlugin}
 */
export const rehearsalMenu =
  (spec) =>
  ({ React: { createElement } }) => {
    const errors = Object.values(spec.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap((operation) => errorsOf(spec, operation));
    const statuses = new Map(errors.map(({ code, status }) => [`${CODE}${code}`, status]));
    return {
      wrapComponents: {
        /** @param {Component<SelectProps>} Original */
        Select: (Original) =>
          /** @param {SelectProps} props */
          function RehearsalSelect(props) {
            const values = [...props.allowedValues];
            if (values.length === 0 || !values.every((value) => statuses.has(value)))
              return createElement(Original, props);
            return createElement(
              'select',
              {
                className: 'rehearsal',
                value: props.value ?? '',
                onChange: (/** @type {{ target: HTMLSelectElement }} */ { target }) => props.onChange(target.value),
              },
              createElement('option', { value: '' }, 'None: run the request'),
              ...values.map((value) =>
                createElement('option', { key: value, value }, label(statuses.get(value), value.slice(CODE.length))),
              ),
            );
          },
      },
    };
  };

/**
 * @param {string | undefined} status
 * @param {string} code can be the status itself
 */
function label(status, code) {
  return code === status ? code : `${status} ${code}`;
}

/**
 * The errors that an operation documents, by their examples.
 * @param {OpenApiDocument} spec
 * @param {DocumentedOperation} operation
 */
function errorsOf(spec, { responses = {}, deprecated = false }) {
  const documented = Object.entries(responses).flatMap(([status, response]) => {
    if (Number(status) < 400) return [];
    const { example, examples = {} } =
      resolved(spec.components.responses, response).content?.['application/json'] ?? {};
    const codes = example === undefined ? Object.keys(examples) : [example.code];
    // Responses of deprecated operations have no examples where those of others have them.
    return (codes.length === 0 ? [status] : codes).map((code) => ({ code, status }));
  });
  const removed = deprecated && !('410' in responses) ? [{ code: 'operation_removed', status: '410' }] : [];
  return [...documented, ...removed].toSorted((one, other) => Number(one.status) - Number(other.status));
}

/**
 * What a reference refers to.
 * @template {object} Part
 * @param {Readonly<Record<string, Part>>} components
 * @param {Part | Reference} part
 * @returns {Part}
 */
function resolved(components = {}, part) {
  if (!('$ref' in part)) return part;
  const found = components[part.$ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`${part.$ref} is not in the document.`);
  return found;
}

/**
 * @template Before, After
 * @param {Readonly<Record<string, Before>>} record
 * @param {(value: Before) => After} change
 * @returns {Record<string, After>}
 */
function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/**
 * @typedef {object} SelectProps
 * @property {Iterable<string>} allowedValues
 * @property {string} [value]
 * @property {(value: string) => void} onChange
 */
