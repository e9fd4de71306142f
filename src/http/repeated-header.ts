/**
 * Whether a header came more than once. Node keeps the first of several; only the raw list has them all.
 * @param rawHeaders name, value, name, value, ... as Node gives them
 * @param header its name in lower case
 */
export function isRepeated(rawHeaders: readonly string[], header: string): boolean {
  let found = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name === undefined || name.length !== header.length || name.toLowerCase() !== header) continue;
    if (found) return true;
    found = true;
  }
  return false;
}
