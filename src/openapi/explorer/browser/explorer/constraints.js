/**
 * Says above each field what the service accepts, in words instead of the keywords of JSON Schema.
 * @param {System} system
 * @returns {UiPlugin}
 */
export function constraints({ React: { createElement, Fragment } }) {
  return {
    wrapComponents: {
      /** @param {Component<FormProps>} Original */
      JsonSchemaForm: (Original) =>
        /** @param {FormProps} props */
        function ConstrainedForm(props) {
          const schema = /** @type {Constraints | undefined} */ (props.schema?.toJS()) ?? {};
          const words = inWords(schema);
          const { pattern } = schema;
          return createElement(
            Fragment,
            null,
            (words !== '' || pattern !== undefined) &&
              createElement(
                'p',
                { className: 'constraints' },
                words,
                pattern !== undefined && [
                  words === '' ? 'Matches ' : ' Matches ',
                  createElement('code', { key: 'pattern' }, pattern),
                ],
              ),
            createElement(Original, props),
          );
        },
    },
  };
}

/**
 * @param {Constraints} schema
 * @returns {string}
 */
function inWords(schema) {
  const { minLength, maxLength, minItems, maxItems, items, minimum, maximum, default: preset } = schema;
  const parts = [
    range(minLength, maxLength, 'character'),
    range(minItems, maxItems, 'item'),
    range(minimum, maximum),
    items === undefined ? '' : each(inWords(items)),
    preset === undefined ? '' : `default ${preset}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return '';
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** @param {string} words */
function each(words) {
  return words === '' ? '' : `each ${words.charAt(0).toLowerCase()}${words.slice(1, -1)}`;
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} [unit] of a number of things
 */
function range(least, most, unit) {
  if (least === undefined && most === undefined) return '';
  const units = unit === undefined ? '' : ` ${unit}${(most ?? least) === 1 ? '' : 's'}`;
  if (least === undefined || (least === 0 && unit !== undefined && most !== undefined))
    return `at most ${number(most)}${units}`;
  if (most === undefined) return `at least ${number(least)}${units}`;
  return least === most ? `exactly ${number(least)}${units}` : `${number(least)} to ${number(most)}${units}`;
}

const number = (/** @type {number | undefined} */ value = 0) => value.toLocaleString('en');

/**
 * @typedef {{ readonly schema?: Immutable }} FormProps
 *
 * @typedef {object} Constraints
 * @property {string} [pattern]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {unknown} [default]
 * @property {Constraints} [items]
 */
