export type Field = readonly [name: string, type: string, isRequired: boolean];

interface Method {
  readonly id: string;
  readonly verb: string;
  readonly path: string;
  readonly inPath: readonly Field[];
  readonly query: readonly Field[];
  /** The names of lists in the query that are one parameter with commas. Others repeat their name. */
  readonly joined: readonly string[];
  /** None or one. */
  readonly body: readonly Field[];
  readonly takesIdempotencyKey: boolean;
  readonly usesQuota: boolean;
  readonly result: string;
  /** The type of its items, if the result is a list that has pages. */
  readonly items: string | undefined;
}

/** @returns the name, which ends in `_` if the language or the client needs it for something else */
export const unlessReserved = (reserved: string) => {
  const words = new Set(reserved.trim().split(/\s+/));
  return (name: string) => (words.has(name) ? `${name}_` : name);
};

/** How a language writes the types of JSON, the declaration of one, and a method that calls an operation. */
export interface Language {
  readonly types: Readonly<Record<string, string>>;
  readonly literal: (values: readonly unknown[]) => string;
  readonly list: (item: string) => string;
  readonly declare: (name: string, fields: readonly Field[]) => string;
  readonly method: (method: Method) => string;
}
