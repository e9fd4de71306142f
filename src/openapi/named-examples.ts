import type { ExampleObject } from '@nestjs/swagger';

/** Values as they look on the wire, by what they show. */
export type Examples = Readonly<Record<string, unknown>>;

/** Examples in the form of OpenAPI, whose names have to be identifiers. */
export function namedExamples(examples: Examples): Record<string, ExampleObject> {
  return Object.fromEntries(Object.entries(examples).map(([summary, value]) => [summary.replaceAll(/\W+/g, '-'), { summary, value }]));
}
