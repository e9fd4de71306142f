import type { Field, Language } from './language.js';

const snake = (name: string) =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .replaceAll(/\W/g, '_')
    .replace(/^(?:from|in|is|as|class)$/, '$&_');
const inPy = ([name, type, isRequired]: Field) => `${snake(name)}: ${type}${isRequired ? '' : ' | None = None'}`;

export const PYTHON: Language = {
  types: {
    string: 'str',
    integer: 'int',
    int32: 'int',
    number: 'float',
    boolean: 'bool',
    null: 'None',
    object: 'dict[str, Any]',
    any: 'Any',
    nothing: 'None',
  },
  literal: (values) => `Literal['${values.join("', '")}']`,
  list: (item) => `list[${item}]`,
  declare(name, fields) {
    const types = fields.map(
      ([field, type, isRequired]) => `"${field}": ${isRequired ? `"${type}"` : `NotRequired["${type}"]`}`,
    );
    return `${name} = TypedDict("${name}", {${types.join(', ')}})`;
  },
  method({ id, verb, path, inPath, query, body, takesIdempotencyKey, result, items }) {
    const at = `f"${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{_part(${snake(name)})}`)}"`;
    const asked = `{${query.map(([name]) => `"${name}": ${snake(name)}`).join(', ')}}`;
    const accepted = [
      'self',
      ...[...inPath, ...body].map(inPy),
      ...(query.length === 0 ? [] : ['*', ...query.map(inPy)]),
      '**options: Unpack[Options]',
    ];
    const head = `    def ${snake(id)}(${accepted.join(', ')})`;
    if (items !== undefined) return `${head} -> Iterator[${items}]: return self._pages(${at}, ${asked}, options)`;
    const call = [
      `"${verb}", ${at}, options`,
      ...(query.length === 0 ? [] : [`query=${asked}`]),
      ...body.map(() => 'body=body'),
      ...(takesIdempotencyKey ? ['marked=True'] : []),
    ];
    return `${head} -> ${result}: return self._send(${call.join(', ')})[0]`;
  },
};
