import { type Field, type Language, unlessReserved } from './language.js';

/** Of a parameter in the path. Others are properties. */
const parameter = unlessReserved(`
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield
  body options path query searchOf
`);
const member = unlessReserved('constructor baseUrl longestWaitSeconds fetch wait');

const isWord = (name: string) => /^[a-z_]\w*$/i.test(name);
const property = (name: string) => (isWord(name) ? name : `'${name}'`);
const inQuery = (name: string) => (isWord(name) ? `query.${name}` : `query['${name}']`);
const inTs = ([name, type, isRequired]: Field) => `${property(name)}${isRequired ? '' : '?'}: ${type}`;

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
  method({ id, verb, path, inPath, query, joined, body, takesIdempotencyKey, usesQuota, result, items }) {
    const at = `path\`${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `\${${parameter(name)}}`)}\``;
    const asked =
      query.length === 0
        ? []
        : [`query: { ${query.map(inTs).join('; ')} }${query.some((one) => one[2]) ? '' : ' = {}'}`];
    const texts = joined.map((name) => `${property(name)}: ${inQuery(name)}?.join()`);
    const sent = texts.length === 0 ? 'query' : `{ ...query, ${texts.join(', ')} }`;
    const given = [...inPath.map(([name, ...type]): Field => [parameter(name), ...type]), ...body];
    const head = `  ${member(id)}(${[...given.map(inTs), ...asked, 'options?: Options'].join(', ')})`;
    const free = usesQuota ? [] : ['isFree: true'];
    if (items !== undefined)
      return `${head} { return this.#pages<${items}>(${at}, ${asked.length === 0 ? '{}' : sent}, ${usesQuota ? 'options' : '{ ...options, isFree: true }'}); }`;
    const call = [
      '...options',
      ...body.map(() => 'body'),
      ...asked.map(() => `search: searchOf(${sent})`),
      ...(takesIdempotencyKey ? ['isMarked: true'] : []),
      ...free,
    ];
    return `${head} { return this.#call<${result}>('${verb}', ${at}, { ${call.join(', ')} }); }`;
  },
};
