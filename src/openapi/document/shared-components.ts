import type { ReferenceObject } from '@nestjs/swagger';

/**
 * Moves parts that several operations have to the components of the document.
 * @param kind of the components, such as `responses`
 * @param names of all parts that operations can share
 * @returns the components, and what replaces a part by a reference to them
 */
export function share<Part>(kind: string, names: ReadonlyMap<Part, string>) {
  const components: Record<string, Part> = {};
  const references = new Map<unknown, ReferenceObject>();
  for (const same of Map.groupBy(names, ([part, name]) => `${name} ${JSON.stringify(part)}`).values()) {
    const [first] = same;
    if (first === undefined || same.length < 2) continue;
    const [part, name] = first;
    let free = name;
    for (let n = 2; free in components; n += 1) free = `${name}${n}`;
    components[free] = part;
    for (const [one] of same) references.set(one, { $ref: `#/components/${kind}/${free}` });
  }
  return { components, refer: (part: Part | ReferenceObject) => references.get(part) ?? part };
}
