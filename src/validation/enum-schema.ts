/** A fixed set of words. */
export interface EnumOptions {
  /** Name of their schema, which all fields and parameters of the set share. */
  readonly name: string;
  readonly values: readonly string[];
  /** What they tell, wherever they are used. */
  readonly meaning?: string;
}

/** The words as a schema of their own. */
export function enumSchema({ name, values, meaning }: EnumOptions) {
  // The scanner overwrites `description` with that of the field which it meets first.
  const shared = { examples: values.slice(0, 1), ...(meaning === undefined ? {} : { 'x-meaning': meaning }) };
  return { enum: [...values], enumName: name, enumSchema: shared };
}
