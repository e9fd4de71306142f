/** Maximum length of a quoted name. */
const MAX_LENGTH = 20;
/**
 * Words of letters, such as `petName`, `pet_name`, `pet-name`, `petID`, `__proto__` and `ids[]`. A part of an API key
 * almost never matches.
 */
const WORDS = /^_{0,2}[A-Za-z][a-z]*(?:[_-][a-z]+|[A-Z][a-z]+)*(?:ID)?_{0,2}(?:\[\])?$/;

/**
 * Quotes a name that a client sent, if it is harmless. Clients send API keys as names by mistake, and a message must not
 * contain any part of a key, so only short names that consist of words and lack the prefix of a key are quoted.
 * @returns undefined if the name must not be quoted
 */
export function quoteName(name: string): string | undefined {
  const isHarmless = name.length <= MAX_LENGTH && WORDS.test(name) && !/psk/i.test(name);
  return isHarmless ? `"${name}"` : undefined;
}

/**
 * The message for an unknown name.
 * @param kind of the name, such as `field`
 */
export function unknownName(kind: string, name: string): string {
  const quoted = quoteName(name);
  return quoted === undefined ? `an unknown ${kind} was sent` : `${quoted} is not a known ${kind}`;
}
