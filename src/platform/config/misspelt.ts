/** Shorter names, such as PORT, are one letter away from names that other programs use. */
const MIN_LENGTH = 8;

/** Whether a name differs from one that exists in case, in one letter, or in the order of two. */
export function isMisspelt(name: string, existing: string): boolean {
  const [given, meant] = [name.toUpperCase(), existing.toUpperCase()];
  if (given === meant) return true;
  if (meant.length < MIN_LENGTH) return false;
  const shorter = Math.min(given.length, meant.length);
  let start = 0;
  while (start < shorter && given[start] === meant[start]) start += 1;
  let end = 0;
  while (end < shorter - start && given.at(-1 - end) === meant.at(-1 - end)) end += 1;
  const wrong = given.slice(start, given.length - end);
  const right = meant.slice(start, meant.length - end);
  return Math.max(wrong.length, right.length) < 2 || (right.length === 2 && wrong === `${right[1]}${right[0]}`);
}
