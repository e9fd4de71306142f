/** Where Swagger UI keeps what was authorized, by name of the security scheme. */
export const STORAGE_KEY = 'authorized';

/** @returns {string | undefined} the API key that this browser keeps for this address */
export function storedKey() {
  try {
    /** @type {Record<string, { value?: unknown }>} */
    const authorized = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
    const [first] = Object.values(authorized);
    return typeof first?.value === 'string' ? first.value : undefined;
  } catch {
    // Something else wrote it.
    return undefined;
  }
}

/**
 * @param {string} scheme
 * @param {string} key
 */
export function storeKey(scheme, key) {
  const schema = { type: 'http', scheme: 'bearer' };
  localStorage.setItem(STORAGE_KEY, JSON.stringify({ [scheme]: { name: scheme, schema, value: key } }));
}

export function forgetKey() {
  localStorage.removeItem(STORAGE_KEY);
}

/**
 * Whether a header can have the text of a key.
 * @param {string} key
 */
export function canBeSent(key) {
  return /^[!-~]+$/.test(key);
}

/** @param {string} key as people copy it: with white space around, or out of a header */
export function withoutScheme(key) {
  return key.trim().replace(/^bearer\s+/i, '');
}
