import { hash } from 'node:crypto';

/** 132 bits of a digest: collisions do not occur in practice. */
const TAG_LENGTH = 22;

/** Commas and white space between the elements of a list; elements may be empty (RFC 9110, section 5.6.1.2). */
const SEPARATOR = /[ \t,]*/y;
/** RFC 9110, section 8.8.3, followed by a comma or the end of the list. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?=[ \t]*(?:,|$))/y;

/** The tags that a condition names; `*` stands for any. */
export type TagList = '*' | readonly string[];

/**
 * The strong validator of a representation: the same bytes have the same validator on every instance.
 * @param content the body, and anything else whose change must change the validator
 */
export function etagOf(content: string | Buffer): string {
  return `"${hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Parses If-Match or If-None-Match; `undefined` if it is malformed. */
export function readTagList(field: string): TagList | undefined {
  if (field.trim() === '*') return '*';
  const tags: string[] = [];
  let at = skip(field, 0);
  while (at < field.length) {
    ENTITY_TAG.lastIndex = at;
    const [tag] = ENTITY_TAG.exec(field) ?? [];
    if (tag === undefined) return undefined;
    tags.push(tag);
    at = skip(field, at + tag.length);
  }
  return tags.length === 0 ? undefined : tags;
}

/** RFC 9110, section 8.8.3.2: a weak tag equals no other. */
export function matchesStrongly(list: TagList, etag: string): boolean {
  return list === '*' || list.includes(etag);
}

/** RFC 9110, section 8.8.3.2: weakness is ignored. */
export function matchesWeakly(list: TagList, etag: string): boolean {
  return list === '*' || list.some((tag) => tag === etag || tag === `W/${etag}`);
}

function skip(field: string, from: number): number {
  SEPARATOR.lastIndex = from;
  SEPARATOR.exec(field);
  return SEPARATOR.lastIndex;
}
