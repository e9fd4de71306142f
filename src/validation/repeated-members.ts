/** The tokens of a valid JSON text that matter here: strings, brackets, colons and commas. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Finds a repeated member name in a JSON text; JSON.parse keeps only the last one.
 * @param value the parsed text
 */
export function repeatedMember(text: string, value: unknown): string | undefined {
  // Each member has a colon, and strings can have more. If there are as many colons as members, none is repeated.
  return countColons(text) === countMembers(value) ? undefined : findRepeated(text);
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += countMembers(member);
  return count;
}

function findRepeated(text: string): string | undefined {
  const namesByDepth: Set<string>[] = [];
  let lastString = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') namesByDepth.push(new Set());
    else if (token === '}' || token === ']') namesByDepth.pop();
    else if (token !== ':') lastString = token;
    else {
      const name = lastString.includes('\\') ? String(JSON.parse(lastString)) : lastString.slice(1, -1);
      const names = namesByDepth.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
