import { getMetadataStorage, validateSync } from 'class-validator';
import { ApiError } from '../errors/index.js';
import { keepsRules } from './keeps-rules.js';

/** Most faults that one message names. */
const MOST_FAULTS = 5;

const fieldNames = new WeakMap<Function, ReadonlySet<string>>();

/**
 * Makes an instance of a DTO of a parsed JSON text, if the text is an object with no other fields than the DTO's and
 * each of them keeps its class-validator rules.
 *
 * Only known fields are ever copied or validated: class-validator's own check for unknown ones lets `constructor`
 * through, and thousands of them hold the process for seconds.
 * @throws ApiError `validation_failed` that names the fields at fault
 */
export function validateBody<T extends object>(Dto: new () => T, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('validation_failed', 'The request body must be a JSON object.');
  }
  const known = knownFields(Dto);
  const faults: string[] = [];
  const dto = new Dto();
  for (const [name, value] of Object.entries(body)) {
    if (known.has(name)) Reflect.set(dto, name, value);
    else if (faults.length < MOST_FAULTS) faults.push(`${quote(name)} is not a known field`);
  }
  if (!keepsRules(dto)) {
    for (const fault of validateSync(dto, { stopAtFirstError: true, validationError: { target: false, value: false } })) {
      faults.push(...Object.values(fault.constraints ?? {}));
    }
  }
  if (faults.length > 0) throw new ApiError('validation_failed', `${faults.slice(0, MOST_FAULTS).join('; ')}.`);
  return dto;
}

function knownFields(Dto: Function): ReadonlySet<string> {
  let names = fieldNames.get(Dto);
  if (names === undefined) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
    names = new Set(rules.map((rule) => rule.propertyName));
    fieldNames.set(Dto, names);
  }
  return names;
}

/** A name that a client made up, cut to a length that fits a message. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
