/** Path prefix of the versioned API (specification, section 9). */
export const API_PREFIX = '/v1';

/**
 * Normalises a request target (RFC 9112, section 3.2) for the router, so that every request takes the ordinary way: the
 * absolute form loses its scheme and authority, and invalid percent-encoding is taken literally, as in the URL standard.
 */
export function normaliseTarget(target: string): string {
  const originForm = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const rooted = originForm.startsWith('/') ? originForm : `/${originForm}`;
  // A target has no fragment, so `#` belongs to the path or the query.
  const whole = rooted.replaceAll('#', '%23');
  if (!whole.includes('%')) return whole;
  const path = pathOf(whole);
  return decode(path) === undefined ? path.replaceAll('%', '%25') + whole.slice(path.length) : whole;
}

/** Whether a normalised target is under the versioned API; the router decodes before it compares. */
export function isVersioned(target: string): boolean {
  if (target.startsWith(API_PREFIX) && endsSegment(target[API_PREFIX.length])) return true;
  if (!target.includes('%')) return false;
  const path = decode(pathOf(target)) ?? '';
  return path.startsWith(API_PREFIX) && endsSegment(path[API_PREFIX.length]);
}

function endsSegment(character: string | undefined): boolean {
  return character === undefined || character === '/' || character === '?';
}

function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
