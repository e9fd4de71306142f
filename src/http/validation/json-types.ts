/** The JSON types of fields, as messages call them. */
export type JsonType = 'a string' | 'an integer' | 'true or false' | 'a list' | 'an object';

/** Says what is wrong with an invalid value: its type, or else the `rule` for values of the type. */
export function typed(type: JsonType, rule: string, { optional = false }: { readonly optional?: boolean }) {
  return (value: unknown): string => {
    if (value === undefined) return 'is required';
    const sent = typeOf(value);
    return sent === type ? `must ${rule}` : `must be ${type}, not ${sent}${hintOn(value, type, optional)}`;
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string' || typeof value === 'boolean') return `a ${typeof value}`;
  if (typeof value === 'object') return 'an object';
  // The parser makes NaN of an integer that is far too large.
  return Number.isFinite(value) && !Number.isInteger(value) ? 'a number with a fraction' : 'an integer';
}

function hintOn(value: unknown, type: JsonType, optional: boolean): string {
  if (value === null) return optional ? ' (leave it out instead)' : '';
  if (type === 'a string') return typeof value === 'object' ? '' : ' (put it in quotes)';
  const unquoted = type === 'an integer' ? /^-?[0-9]+$/ : /^(?:true|false)$/i;
  return typeof value === 'string' && unquoted.test(value) ? ' (send it without quotes)' : '';
}
