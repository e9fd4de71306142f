import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';
import { type Guide, titleOf } from './guides.js';

/** All sections of guides, and all operations with their scopes and parameters. `terms` are other words that find them. */
export function searchIndex(guides: readonly Guide[], { paths, components }: OpenAPIObject) {
  const sections = guides.flatMap((guide) =>
    guide.sections.map(({ id, depth, title, text }) => ({
      title,
      place: depth === 1 ? 'Guide' : titleOf(guide),
      href: depth === 1 ? guide.name : `${guide.name}#${id}`,
      text,
      // The first sentence of a guide says what it is about.
      terms: depth === 1 ? `${guide.name} ${text.split('. ')[0]}` : guide.name,
    })),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, OperationObject>).map(([method, operation]) => {
      const { operationId = '', tags: [tag = ''] = [], summary = '', description = '', parameters = [] } = operation;
      const scopes = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat());
      const names = parameters.map((parameter) => {
        if (!('$ref' in parameter)) return parameter.name;
        const shared = components?.parameters?.[parameter.$ref.replace(/.*\//, '')];
        return shared !== undefined && 'name' in shared ? shared.name : '';
      });
      return {
        title: summary,
        place: `${method.toUpperCase()} ${path}`,
        href: `../docs#/${encodeURIComponent(tag)}/${operationId}`,
        // Without the code, bold text and links of Markdown.
        text: description.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*/g, ''),
        terms: [operationId, ...scopes, ...names].join(' '),
      };
    }),
  );
  return [...operations, ...sections];
}
