import type { ReferenceObject } from '@nestjs/swagger';

/** A part of an operation, and its name if operations share it. */
export interface NamedPart<Part> {
  readonly name?: string;
  readonly part: Part;
}

/**
 * Moves parts that several operations have to the components of the document.
 * @param kind of the components, such as `responses`
 * @param all parts of that kind
 * @returns the components, and what replaces a part by a reference to them
 */
export function share<Part>(kind: string, all: readonly NamedPart<Part>[]) {
  const components: Record<string, Part> = {};
  const references = new Map<unknown, ReferenceObject>();
  for (const same of Map.groupBy(all, ({ name, part }) => `${name} ${JSON.stringify(part)}`).values()) {
    const [first] = same;
    if (first?.name === undefined || same.length < 2) continue;
    let free = first.name;
    for (let n = 2; free in components; n += 1) free = `${first.name}${n}`;
    components[free] = first.part;
    for (const { part } of same) references.set(part, { $ref: `#/components/${kind}/${free}` });
  }
  return { components, refer: (part: Part | ReferenceObject) => references.get(part) ?? part };
}
