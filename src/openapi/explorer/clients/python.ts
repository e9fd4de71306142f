import { type Field, type Language, unlessReserved } from './language.js';

const unlessKeyword = unlessReserved(`
  and as assert async await break class continue def del elif else except finally for from global if import in is lambda
  nonlocal not or pass raise return try while with yield
  self body options idempotency_key if_unchanged headers on_page
`);

const snake = (name: string) =>
  unlessKeyword(
    name
      .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
      .toLowerCase()
      .replaceAll(/\W/g, '_')
      .replace(/^(?=\d)/, '_'),
  );
const optional = (type: string, isRequired: boolean) => (isRequired ? type : `${type} | None = None`);
const inPy = ([name, type, isRequired]: Field) => `${snake(name)}: ${optional(type, isRequired)}`;

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
  method({ id, verb, path, inPath, query, joined, body, takesIdempotencyKey, usesQuota, result, items }) {
    const at = `f"${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{_part(${snake(name)})}`)}"`;
    const sent = (name: string) => (joined.includes(name) ? `_joined(${snake(name)})` : snake(name));
    const asked = `{${query.map(([name]) => `"${name}": ${sent(name)}`).join(', ')}}`;
    const accepted = [
      'self',
      ...inPath.map(inPy),
      ...body.map(([name, type, isRequired]) => `${name}: ${optional(type, isRequired)}`),
      ...(query.length === 0 ? [] : ['*', ...query.map(inPy)]),
      '**options: Unpack[Options]',
    ];
    const head = `    def ${snake(id)}(${accepted.join(', ')})`;
    const free = usesQuota ? '' : ', free=True';
    if (items !== undefined)
      return `${head} -> Iterator[${items}]: return self._pages(${at}, ${asked}, options${free})`;
    const call = [
      `"${verb}", ${at}, options`,
      ...(query.length === 0 ? [] : [`query=${asked}`]),
      ...body.map(() => 'body=body'),
      ...(takesIdempotencyKey ? ['marked=True'] : []),
    ];
    return `${head} -> ${result}: return self._send(${call.join(', ')}${free})[0]`;
  },
};
