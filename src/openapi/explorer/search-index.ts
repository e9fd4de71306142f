import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { type Guide, titleOf } from './guides.js';

/** Something that the search of the site finds. */
interface Entry {
  readonly title: string;
  /** The guide it is in, or the request of an operation. */
  readonly place: string;
  /** Relative to `/docs/`. */
  readonly href: string;
  readonly text: string;
}

/** All sections of guides, and all operations with their scopes, parameters and error codes. */
export function searchIndex(guides: readonly Guide[], { paths }: OpenAPIObject): Entry[] {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, depth, title, text }) => ({
      title,
      place: depth === 1 ? 'Guide' : titleOf(guide),
      href: depth === 1 ? guide.name : `${guide.name}#${id}`,
      text,
    })),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, operation]) => {
      const { operationId = '', tags: [tag = ''] = [], summary = '', description = '', parameters = [] } = operation;
      const scopes = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
      const names = parameters.map((parameter) =>
        '$ref' in parameter ? parameter.$ref.replace(/.*\//, '') : parameter.name,
      );
      return {
        title: summary,
        place: `${method.toUpperCase()} ${path}`,
        href: `../docs#/${encodeURIComponent(tag)}/${operationId}`,
        text: [operationId, ...scopes, ...names, description].join(' '),
      };
    }),
  );
  return [...operations, ...sections];
}
