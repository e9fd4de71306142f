import type { Field, Language } from './language.js';

const inTs = ([name, type, isRequired]: Field) =>
  `${/^\w+$/.test(name) ? name : `'${name}'`}${isRequired ? '' : '?'}: ${type}`;

export const TYPESCRIPT: Language = {
  types: {
    string: 'string',
    integer: 'Int',
    int32: 'number',
    number: 'number',
    boolean: 'boolean',
    null: 'null',
    object: 'Record<string, unknown>',
    any: 'unknown',
    nothing: 'void',
  },
  literal: (values) => values.map((value) => JSON.stringify(value)).join(' | '),
  list: (item) => `Array<${item}>`,
  declare: (name, fields) => `export type ${name} = { ${fields.map(inTs).join('; ')} };`,
  method({ id, verb, path, inPath, query, body, takesIdempotencyKey, result, items }) {
    const at = `path\`${path.replaceAll('{', '${')}\``;
    const asked =
      query.length === 0
        ? []
        : [`query: { ${query.map(inTs).join('; ')} }${query.some((one) => one[2]) ? '' : ' = {}'}`];
    const head = `  ${id}(${[...[...inPath, ...body].map(inTs), ...asked, 'options?: Options'].join(', ')})`;
    if (items !== undefined)
      return `${head} { return this.#pages<${items}>(${at}, ${asked.length === 0 ? '{}' : 'query'}, options); }`;
    const call = [
      '...options',
      ...body.map(() => 'body'),
      ...asked.map(() => 'search: searchOf(query)'),
      ...(takesIdempotencyKey ? ['isMarked: true'] : []),
    ];
    return `${head} { return this.#call<${result}>('${verb}', ${at}, { ${call.join(', ')} }); }`;
  },
};
