import { distance } from 'fastest-levenshtein';
import { listed } from '../../platform/errors/error-codes.js';
import { API_PREFIX } from '../requests/request.js';

const MAX_EDITS = 2;
/** The known name that a client probably meant; case, hyphens, underscores and brackets do not count. Long texts cost nothing. */
export function nearest(sent: string, known: readonly string[]): string | undefined {
  const edits = known.map((name) =>
    Math.abs(sent.length - name.length) > 2 * MAX_EDITS ? Infinity : distance(plain(sent), plain(name)),
  );
  const least = Math.min(...edits);
  const meant = known[edits.indexOf(least)] ?? '';
  return least <= MAX_EDITS && 2 * least <= Math.min(sent.length, meant.length) ? meant : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_[\]]/g, '');
}

/** A short name that is no API key. */
const HARMLESS = /^(?!.*psk)[\w.:*[\]-]{1,20}$/i;

/** How other APIs turn pages. */
const PAGING = /^(?:page|offset|cursor|skip)$/i;
const PAGE_SIZE = /^(?:per_?page|page_?size|max_?results|size|count|top)$/i;

/** Clients send API keys as names by mistake, and a message must not contain a key. */
export function quoteName(name: string): string | undefined {
  return HARMLESS.test(name) ? `"${name}"` : undefined;
}

/** @param known what the client may have meant, if that is known, and `isListed` whether the message names all of it */
export function unknownName(kind: string, name: string, known?: readonly string[], isListed = true): string {
  const quoted = quoteName(name);
  const fault = quoted === undefined ? `an unknown ${kind} was sent` : `${quoted} is not a known ${kind}`;
  if (known === undefined) return fault;
  if (known.includes('after') && PAGING.test(name)) return `${fault} (for the next page, follow the Link header)`;
  const meant = known.includes('limit') && PAGE_SIZE.test(name) ? 'limit' : nearest(name, known);
  const hints = [
    ...(meant === undefined ? [] : [`did you mean ${meant}?`]),
    ...(isListed ? [`known: ${known.length === 0 ? 'none' : listed(known, ', ')}`] : []),
  ];
  return hints.length === 0 ? fault : `${fault} (${hints.join(' ')})`;
}

const MAX_PATH_LENGTH = 100;
/** Paths of the OpenAPI document, as the router writes them. */
const DOCUMENTED = new RegExp(`^${API_PREFIX}/[\\w/:.-]+$`);

/** The path that a client probably meant, such as `/v1/pets/{petId}`; nothing of the client's, which may have an API key. */
export function nearestPath(path: string, paths: Iterable<string>): string | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined;
  const plainPath = path.replace(/^\/api(?=\/)/i, '').replace(/\.(?:json|xml|ya?ml)$/i, '');
  const asked = (/^\/v[0-9]+\//i.test(plainPath) ? plainPath : API_PREFIX + plainPath).split('/').filter(Boolean);
  const known = [...paths].filter((one) => DOCUMENTED.test(one)).map((one) => one.split('/').slice(1));
  const [, first = ''] = asked;
  // A client may leave out an area, such as that of `/v1/store/orders`, unless what it sent is one.
  const isArea = known.some(([, area]) => area === first);
  const hasNested = (segments: readonly string[]) => {
    const at = segments.indexOf(first);
    return at > 1 && segments.length - at === asked.length - 1;
  };
  const nested = isArea ? undefined : known.find(hasNested);
  if (nested !== undefined) return template(nested);
  // With the client's parameters, so that only the rest differs.
  const filled = known.map((segments) =>
    segments.map((segment, index) => (segment.startsWith(':') ? (asked[index] ?? '') : segment)).join('/'),
  );
  const meant = nearest(asked.join('/'), filled);
  return meant === undefined ? undefined : template(known[filled.indexOf(meant)] ?? []);
}

function template(segments: readonly string[]): string {
  return `/${segments.join('/')}`.replaceAll(/:(\w+)/g, '{$1}');
}
