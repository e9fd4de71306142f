import { hash } from 'node:crypto';

/** 132 bits of a digest: nobody meets two representations that share them. */
const TAG_LENGTH = 22;

/** Comma and white space around the elements of a list, of which some may be empty (RFC 9110, section 5.6.1.2). */
const SEPARATOR = /[ \t,]*/y;
/** RFC 9110, section 8.8.3, with what ends it: a comma, or the end of the list. */
const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?=[ \t]*(?:,|$))/y;

/** The tags that a condition names; `*` stands for any. */
export type TagList = '*' | readonly string[];

/**
 * The strong validator of a representation: the same bytes have the same one, on every instance.
 * @param content what goes over the wire, and whatever else shall have another validator when it changes
 */
export function etagOf(content: string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)}"`;
}

/** Reads If-Match or If-None-Match; `undefined` where it is malformed. */
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

/** RFC 9110, section 8.8.3.2: a weak tag is equal to none. */
export function matchesStrongly(list: TagList, etag: string): boolean {
  return list === '*' || list.includes(etag);
}

/** RFC 9110, section 8.8.3.2: whether a tag is weak makes no difference. */
export function matchesWeakly(list: TagList, etag: string): boolean {
  return list === '*' || list.some((tag) => tag === etag || tag === `W/${etag}`);
}

function skip(field: string, from: number): number {
  SEPARATOR.lastIndex = from;
  SEPARATOR.exec(field);
  return SEPARATOR.lastIndex;
}
