import { indentJson, indentTokens, jsonTokens } from './exact-json.js';
import { MORE_LANGUAGES } from './more-languages.js';

/**
 * The same request in several languages. The key comes from the environment variable `API_KEY`.
 * @type {Readonly<Record<string, (request: SampleRequest) => string>>}
 */
export const LANGUAGES = { curl, JavaScript: javascript, Python: python, ...MORE_LANGUAGES };

/**
 * @typedef {object} SampleRequest
 * @property {string} url
 * @property {string} method in capitals
 * @property {readonly (readonly [name: string, value: string])[]} headers
 * @property {string} [body]
 * @property {boolean} needsKey
 */

/** @param {SampleRequest} request */
function curl({ url, method, headers, body, needsKey }) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl -i ${isImplied ? '' : `-X ${method} `}${quoted(url)}`,
    ...(needsKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}

/** @param {string} text for a shell */
function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {SampleRequest} request for Node.js */
function javascript({ url, method, headers, body, needsKey }) {
  const lines = [
    ...(needsKey ? ['Authorization: `Bearer ${process.env.API_KEY}`,'] : []),
    ...headers.map(([name, value]) => `${/^\w+$/.test(name) ? name : inQuotes(name)}: ${inQuotes(value)},`),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${inQuotes(method)},`]),
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines.map((line) => `    ${line}`), '  },']),
    ...(body === undefined ? [] : [`  body: ${javascriptBody(body)},`]),
  ];
  const second = options.length === 0 ? '' : [', {', ...options, '}'].join('\n');
  return `const response = await fetch(${inQuotes(url)}${second});\nconsole.log(response.status, await response.text());`;
}

/** @param {string} body a literal where JavaScript can write it exactly, which it cannot for all int64 */
function javascriptBody(body) {
  if (!isExactInJavaScript(body)) return inQuotes(body);
  const literal = indentJson(body).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:');
  return `JSON.stringify(${indented(literal, '  ')})`;
}

/** @param {string} body */
function isExactInJavaScript(body) {
  try {
    return !body.includes('__proto__') && JSON.stringify(JSON.parse(body)) === jsonTokens(body).join('');
  } catch {
    return false;
  }
}

/** @param {SampleRequest} request for the package requests */
function python({ url, method, headers, body, needsKey }) {
  const value = body === undefined ? undefined : pythonValue(body);
  // `json` sets it.
  const sent = headers.filter((header) => value === undefined || header.join() !== 'Content-Type,application/json');
  const lines = [
    ...(needsKey ? [`"Authorization": f"Bearer {os.environ['API_KEY']}",`] : []),
    ...sent.map(([name, content]) => `${JSON.stringify(name)}: ${JSON.stringify(content)},`),
  ];
  return [
    ...(needsKey ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(lines.length === 0 ? [] : ['    headers={', ...lines.map((line) => `        ${line}`), '    },']),
    ...(value === undefined ? [] : [`    json=${indented(value, '    ')},`]),
    ...(value === undefined && body !== undefined ? [`    data=${JSON.stringify(body)}.encode(),`] : []),
    '    timeout=10,',
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

/** @type {Readonly<Record<string, string>>} */
const PYTHON_WORDS = { true: 'True', false: 'False', null: 'None' };

/**
 * The value as Python writes it, whose integers have any size.
 * @param {string} body
 * @returns {string | undefined} nothing if it is not JSON
 */
function pythonValue(body) {
  try {
    JSON.parse(body);
  } catch {
    return undefined;
  }
  // Python does not join two escaped halves of a character.
  const words = jsonTokens(body).map((token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : (PYTHON_WORDS[token] ?? token),
  );
  return indentTokens(words).replaceAll(/^ +/gm, '$&$&');
}

/**
 * @param {string} text
 * @param {string} indentation of all lines but the first
 */
function indented(text, indentation) {
  return text.replaceAll('\n', `\n${indentation}`);
}

/** @param {string} text */
function inQuotes(text) {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
