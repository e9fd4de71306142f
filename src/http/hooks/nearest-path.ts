import { nearest } from '../../platform/errors/nearest.js';
import { API_PREFIX } from '../requests/request.js';

/** Longer paths cost nothing. */
const MAX_LENGTH = 100;
/** Paths of the OpenAPI document, as the router writes them. */
const PLAIN = new RegExp(`^${API_PREFIX}/[\\w/:.-]+$`);

/** The path that a client probably meant, such as `/v1/pets/{petId}`; nothing of the client's, which may have an API key. */
export function nearestPath(path: string, paths: Iterable<string>): string | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  const asked = (/^\/v[0-9]+\//i.test(path) ? path : API_PREFIX + path).split('/').filter(Boolean);
  const known = [...paths].filter((one) => PLAIN.test(one)).map((one) => one.split('/').slice(1));
  const [, first = ''] = asked;
  // A client may leave out an area, such as that of `/v1/store/orders`.
  const nested = known.find((segments) => {
    const at = segments.indexOf(first);
    return at > 1 && segments.length - at === asked.length - 1;
  });
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
