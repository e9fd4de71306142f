import { nearest } from '../../platform/errors/nearest.js';
import { listed } from './problem.js';

/** A short name that is no API key. */
const HARMLESS = /^(?!.*psk)[\w.[\]-]{1,20}$/i;

/** How other APIs turn pages. */
const PAGING = /^(?:page|offset|cursor|skip)$/i;
const PAGE_SIZE = /^(?:per_?page|page_?size|max_?results|size|count|top)$/i;

/**
 * Quotes a name that a client sent. Clients send API keys as names by mistake, and a message must not contain a key.
 * @returns undefined if the name must not be quoted
 */
export function quoteName(name: string): string | undefined {
  return HARMLESS.test(name) ? `"${name}"` : undefined;
}

/** @param known what the client may have meant, if that is known */
export function unknownName(kind: string, name: string, known?: readonly string[]): string {
  const quoted = quoteName(name);
  const fault = quoted === undefined ? `an unknown ${kind} was sent` : `${quoted} is not a known ${kind}`;
  if (known === undefined) return fault;
  if (known.includes('after') && PAGING.test(name)) return `${fault} (for the next page, follow the Link header)`;
  const meant = known.includes('limit') && PAGE_SIZE.test(name) ? 'limit' : nearest(name, known);
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  return `${fault} (${hint}known: ${known.length === 0 ? 'none' : listed(known, ', ')})`;
}
