import type { OpenAPIObject, SchemaObject } from '@nestjs/swagger';
import { breakingChanges } from './breaking-changes.js';
import { type Documented, operationsOf } from './document.js';

/** What the differences of a document say to its reader; those without words are none for a client. */
type Words = readonly (readonly [difference: RegExp, words?: string])[];

/** Of the differences back to the version before, those that are additions. */
const ADDITIONS: Words = [
  [/^the body is gone$/, 'New body'],
  [/^the body (\S+\/\S+) is gone$/, 'New media type `$1` of the body'],
  [/^the body (?:.+: )?(\S+) is gone$/, 'New field `$1` of the body'],
  [/^parameter (\S+) is gone$/, 'New parameter `$1`'],
  [/^(?:the body|parameter) (\S+?):? (\S+) is no longer accepted$/, 'New value `$2` of `$1`'],
  [/^(\d{3}): is gone$/, 'New response $1'],
  [/^\d{3}: header (\S+) is gone$/, 'New header `$1`'],
  [/^2\d\d: (?:.+: )?(\S+) is gone$/, 'New field `$1` of the response'],
  [/./],
];

const BOUNDS = 'pattern|format|(?:min|max)(?:imum|Length|Items)';
const BREAKS: Words = [
  [/^tags is another$/],
  [/^the body (?:.+: )?(\S+) is gone$/, 'Removed field `$1` of the body'],
  [/^(?:the body|parameter) (\S+?):? (\S+) is no longer accepted$/, 'Removed value `$2` of `$1`'],
  [/^(?:the body|parameter) (\S+?):? pattern is .*$/, 'Changed pattern of `$1`'],
  [/^(?:the body|parameter) (\S+?):? (\w+) is (\S+) in place of (\S+)$/, '`$2` of `$1` changed from $4 to $3'],
  [/^(?:the body|parameter) (\S+) is required$/, '`$1` is required'],
  [/^parameter (\S+) is gone$/, 'Removed parameter `$1`'],
  [new RegExp(String.raw`^\d{3}: (?:.+[: ])?(?:${BOUNDS}) is .*$`)],
  [/^(\d{3}): is gone$/, 'Removed response $1'],
  [/^\d{3}: header (\S+) is gone$/, 'Removed header `$1`'],
  [/^\d{3}: header (\S+) may be missing$/, 'The header `$1` may be missing'],
  [/^\d{3}: (?:.+: )?(\S+) is gone$/, 'Removed field `$1` of the response'],
  [/^\d{3}: (?:.+: )?(\S+) may be missing$/, 'The field `$1` of the response may be missing'],
  [/^\d{3}: (?:.+: )?(\S+): may be (\S+)$/, 'New value `$2` of `$1` of the response'],
];

/** What a client of one version should know of the next: additions, and what can break it. Each is a line of Markdown. */
export function contractChanges(before: OpenAPIObject, now: OpenAPIObject): { added: string[]; broken: string[] } {
  const [earlier, later] = [plain(before), plain(now)];
  const [at, was] = [operationsAt(later), operationsAt(earlier)];
  const back = differences(later, earlier);
  const breaks = differences(earlier, later).map((one) => ({ ...one, text: withMark(one.text, at.get(one.where)) }));
  const goneSchemas = schemaNames(earlier).filter((name) => !schemaNames(later).includes(name));
  return {
    added: [
      ...back.filter(({ text }) => text === 'is gone').map(({ where }) => described(at.get(where))),
      ...lines(back, ADDITIONS, at, was.size),
      ...additions('error codes', errorCodes(before), errorCodes(now)),
      ...additions('events', Object.keys(before.webhooks ?? {}), Object.keys(now.webhooks ?? {})),
    ],
    broken: [
      ...breaks
        .filter(({ text }) => text === 'is gone')
        .map(({ where }) => `Removed operation \`${idAt(was, where)}\`.`),
      ...lines(breaks, BREAKS, was, was.size),
      ...(goneSchemas.length === 0 ? [] : [`Removed or renamed schemas: ${names(goneSchemas)}.`]),
    ],
  };
}

interface Difference {
  /** Method and path. */
  readonly where: string;
  readonly text: string;
}

type Operations = ReadonlyMap<string, Documented>;

function differences(before: OpenAPIObject, now: OpenAPIObject): Difference[] {
  return breakingChanges(before, now).map((change) => {
    const [, where = '', text = ''] = /^(\w+ \/[^ :]*):? (.*)$/.exec(change) ?? [];
    return { where, text };
  });
}

function withMark(text: string, now: Documented | undefined): string {
  const { 'x-stability': stability, 'x-sunset': sunset, security = [] } = now?.operation ?? {};
  const [scope] = security.flatMap((requirement) => Object.values(requirement).flat());
  if (text === 'x-stability is another') return `Is \`${stability}\``;
  if (text === 'x-sunset is another') return `Will be removed on ${sunset}`;
  return text === 'security is another' ? `Needs ${scope === undefined ? 'no scope' : `the scope \`${scope}\``}` : text;
}

/** Equal differences of several operations are one line. */
function lines(all: readonly Difference[], words: Words, operations: Operations, count: number): string[] {
  const told = all.flatMap(({ where, text }) => {
    const [difference, saying] = words.find(([one]) => one.test(text)) ?? [/^/, ''];
    return text === 'is gone' || saying === undefined || isWider(text)
      ? []
      : [{ where, status: /^\d{3}(?=: header)/.exec(text)?.[0], line: text.replace(difference, saying) }];
  });
  return [...Map.groupBy(told, ({ line }) => line)].map(([line, same]) => {
    const places = [...Map.groupBy(same, ({ where }) => where)].map(([where, of]) => {
      const statuses = of.flatMap(({ status }) => status ?? []);
      const isEverywhere = statuses.length === Object.keys(operations.get(where)?.responses ?? {}).length;
      const some = line.startsWith('Removed') && statuses.length > 0 && !isEverywhere;
      return `\`${idAt(operations, where)}\`${some ? ` (${statuses.join(', ')})` : ''}`;
    });
    const isAll = places.length === count && places.every((place) => !place.endsWith(')'));
    return `${line}: ${isAll ? 'all operations' : places.join(', ')}.`;
  });
}

/** A bound of a request that accepts more than before. */
function isWider(text: string): boolean {
  const [, now, before] = /^(?:the body|parameter) .*max\w+ is (\d+) in place of (\d+)$/.exec(text) ?? [];
  return Number(now) > Number(before);
}

function described(added: Documented | undefined): string {
  if (added === undefined) return '';
  const { method, path, operation } = added;
  const { operationId, summary, 'x-stability': stability } = operation;
  return `New operation \`${operationId}\` (\`${method.toUpperCase()} ${path}\`, ${stability}): ${summary}.`;
}

/** Without what generated clients do not see: `allOf` that a generator merges, and the known codes, which have a line of their own. */
function plain(document: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  const schemas = (copy.components?.schemas ?? {}) as Record<string, SchemaObject>;
  for (const [name, { allOf, ...own }] of Object.entries(schemas)) {
    if (allOf === undefined) continue;
    const parts = allOf.map((part) => ('$ref' in part ? (schemas[part.$ref.split('/').at(-1) ?? ''] ?? {}) : part));
    const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties) as object;
    const required = [...parts.flatMap((part) => part.required ?? []), ...(own.required ?? [])];
    schemas[name] = { type: 'object', ...own, properties, required } as SchemaObject;
  }
  const { code } = schemas['Error']?.properties ?? {};
  if (schemas['Error']?.properties && code) schemas['Error'].properties['code'] = { type: 'string' };
  return copy;
}

function operationsAt(document: OpenAPIObject): Operations {
  return new Map(operationsOf(document).map((one) => [`${one.method} ${one.path}`, one]));
}

function idAt(operations: Operations, where: string): string {
  return operations.get(where)?.operation.operationId ?? where;
}

function additions(what: string, before: readonly string[], now: readonly string[]): string[] {
  const added = now.filter((name) => !before.includes(name));
  return before.length === 0 || added.length === 0 ? [] : [`New ${what}: ${names(added)}.`];
}

function names(all: readonly string[]): string {
  return all.map((name) => `\`${name}\``).join(', ');
}

function errorCodes({ components }: OpenAPIObject): string[] {
  const { KnownErrorCode: codes } = (components?.schemas ?? {}) as Record<string, SchemaObject>;
  return (codes?.enum ?? []) as string[];
}

function schemaNames({ components }: OpenAPIObject): string[] {
  return Object.keys(components?.schemas ?? {});
}
