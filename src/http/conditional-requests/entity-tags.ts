import { hash } from 'node:crypto';

/** 132 bits of a digest: collisions do not occur in practice. */
const TAG_LENGTH = 22;

/** The strong validator of a representation: the same bytes have the same validator on every instance. */
export function etagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** The validator of a page. It includes `nextAfter`, because the last page gets a Link when another page follows. */
export function pageEtag(json: string, nextAfter: number | string | undefined): string {
  return etagOf(`${json}${nextAfter ?? ''}`);
}

/** Whether an If-Match names an ETag (RFC 9110, section 8.8.3.2): a weak tag equals no other. */
export function matchesStrongly(field: string, etag: string): boolean {
  return names(field, [etag]);
}

/** Whether an If-None-Match names an ETag (RFC 9110, section 8.8.3.2): weakness is ignored. */
export function matchesWeakly(field: string, etag: string): boolean {
  return names(field, [etag, `W/${etag}`]);
}

/** A malformed list names no other ETag. */
function names(field: string, etags: readonly string[]): boolean {
  return field.trim() === '*' || field.split(',').some((tag) => etags.includes(tag.trim()));
}
