import { canBeSent } from '../site/stored-key.js';

/**
 * Asks the service about a key, which uses no quota.
 * @param {string} server address of the API
 * @param {string} key
 * @returns {Promise<{ usage?: Usage, problem?: string }>} the usage, or what is wrong
 */
export async function usageOf(server, key) {
  if (!canBeSent(key)) return { problem: 'This is not an API key: it contains invalid characters.' };
  try {
    const response = await fetch(`${server}/usage`, { headers: { Authorization: `Bearer ${key}` }, cache: 'no-store' });
    const body = await response.json();
    return response.ok ? { usage: body } : { problem: String(body.message) };
  } catch {
    return { problem: `The service cannot be reached at ${server}, so the key cannot be checked. Try again.` };
  }
}

/**
 * @typedef {{ readonly limit: number, readonly remaining: number, readonly resetsAt: string }} UsageWindow
 *
 * @typedef {object} Usage
 * @property {string} account
 * @property {string} plan
 * @property {{ id: string, name?: string, scopes: readonly string[], expiresAt?: string }} [key] version 1 has none
 * @property {UsageWindow} minute
 * @property {UsageWindow} day
 * @property {string} [bannedUntil]
 */
