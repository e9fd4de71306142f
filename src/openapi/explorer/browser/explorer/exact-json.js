const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents a JSON text and leaves its tokens as they are: to parse and print it would round integers beyond 2^53.
 * @param {string} text what is not JSON is returned unchanged
 */
export function indentJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return indentTokens(jsonTokens(text));
}

/** @param {string} text JSON */
export function jsonTokens(text) {
  return text.match(TOKENS) ?? [];
}

/** @param {readonly string[]} tokens of JSON, or of a language with the same brackets */
export function indentTokens(tokens) {
  let depth = 0;
  let indented = '';
  let previous = '';
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const token of tokens) {
    const isEmpty = (previous === '{' && token === '}') || (previous === '[' && token === ']');
    if (token === '}' || token === ']') depth -= 1;
    if (!isEmpty && (token === '}' || token === ']' || previous === '{' || previous === '[' || previous === ','))
      indented += newLine();
    if (token === '{' || token === '[') depth += 1;
    indented += token === ':' ? ': ' : token;
    previous = token;
  }
  return indented;
}
