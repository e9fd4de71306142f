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

/** RFC 9110, section 8.8.3, in a list whose elements can be empty (section 5.6.1). */
const LIST = /^(?:[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?(?:,|$))+$/;

/** Compares as RFC 9110, section 8.8.3.2, says: strongly for If-Match, and weakly for If-None-Match. A malformed list names none. */
export function isListed(etag: string, field: string, comparison: 'strong' | 'weak' = 'strong'): boolean {
  const etags = comparison === 'weak' ? [etag, `W/${etag}`] : [etag];
  return field.trim() === '*' || (LIST.test(field) && field.split(',').some((tag) => etags.includes(tag.trim())));
}
