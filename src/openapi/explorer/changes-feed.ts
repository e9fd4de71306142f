import { publicPath } from '../../http/addresses.js';
import type { Env } from '../../platform/config/env.js';
import type { Guide } from './guides.js';

/** Name of the guide that has a section for each version. */
export const CHANGES = 'changes';

/** The title of a version that is released. */
const RELEASED = /^(\S+) \((\d{4}-\d\d-\d\d)\)$/;
const TAG = 'tag:petstore-service.invalid,2026:changes';

/** The changes of the interface as an Atom feed (RFC 4287): an entry for each version. */
export function changesFeed(env: Env, { sections }: Guide): string {
  const page = escaped(publicPath(env, `/docs/${CHANGES}`));
  const versions = sections.flatMap((section) => {
    const [, version, date] = RELEASED.exec(section.title) ?? [];
    return version === undefined ? [] : [{ ...section, version, updated: `<updated>${date}T00:00:00Z</updated>` }];
  });
  const entries = versions.map(
    ({ id, version, updated, html }) =>
      `<entry><title>Version ${version}</title><id>${TAG}:${version}</id>${updated}` +
      `<link href="${page}#${id}"/><content type="html">${escaped(html)}</content></entry>`,
  );
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Changes to the Pet Store API</title>',
    `<id>${TAG}</id>${versions[0]?.updated ?? ''}<author><name>Pet Store Service</name></author>`,
    `<link rel="self" href="${page}.atom"/><link href="${page}"/>`,
    ...entries,
    '</feed>\n',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
