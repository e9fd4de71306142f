import { validateSync } from 'class-validator';
import { ApiError } from '../errors/index.js';
import { rulesOf } from './rules.js';

/** Most faults that one message names. */
const MOST_FAULTS = 5;

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
  const { names, areKept } = rulesOf(Dto);
  const unknown: string[] = [];
  const dto = new Dto();
  for (const name of Object.keys(body)) {
    if (names.has(name)) dto[name as keyof T] = body[name as keyof typeof body];
    else unknown.push(name);
  }
  const faults = unknown.slice(0, MOST_FAULTS).map((name) => `${quote(name)} is not a known field`);
  if (!areKept(dto)) {
    const broken = validateSync(dto, { stopAtFirstError: true, validationError: { target: false, value: false } });
    faults.push(...broken.flatMap(({ constraints = {} }) => Object.values(constraints)));
  }
  if (faults.length > 0) throw new ApiError('validation_failed', `${faults.slice(0, MOST_FAULTS).join('; ')}.`);
  return dto;
}

/** A name that a client made up, cut to a length that fits a message. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
}
