/** A named enum. */
export interface EnumOptions {
  /** Name of the schema, which all fields and parameters of the enum share. */
  readonly name: string;
  readonly values: readonly string[];
  /** Description of the schema. */
  readonly meaning?: string;
}

/** The schema of an enum. */
export function enumSchema({ name, values, meaning }: EnumOptions) {
  // The scanner overwrites `description` with that of the first field.
  const shared = { examples: values.slice(0, 1), ...(meaning === undefined ? {} : { 'x-meaning': meaning }) };
  return { enum: [...values], enumName: name, enumSchema: shared };
}
