import { ApiError } from '../errors/index.js';
import { queryRules } from './query-params.js';
import { quote } from './validate-body.js';

/**
 * Reads a query string's parameters into a query DTO.
 * @param query as Fastify parses it: a repeated parameter is an array
 * @throws ApiError `validation_failed` that names the parameter at fault
 */
export function parseQuery<T extends object>(Dto: new () => T, query: unknown): T {
  const dto = new Dto();
  const rules = queryRules(Dto);
  for (const [name, text] of Object.entries(query as Record<string, string | string[]>)) {
    const rule = rules.get(name);
    if (rule === undefined) throw new ApiError('validation_failed', `${quote(name)} is not a known query parameter.`);
    if (typeof text !== 'string') throw new ApiError('validation_failed', `${name} must be given once only.`);
    const value = rule.parse(text);
    if (value === undefined) throw new ApiError('validation_failed', `${name} must be ${rule.expectation}.`);
    Object.assign(dto, { [name]: value });
  }
  return dto;
}
