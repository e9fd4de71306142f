import type { ParameterObject, ReferenceObject } from '@nestjs/swagger';
import type { LivingOperation } from './finished-operation.js';

/**
 * Moves parameters that several operations share to the components, under their own names: `Limit`, `IfMatch`.
 * @returns the components
 */
export function shareParameters(operations: readonly LivingOperation[]): Record<string, ParameterObject> {
  const all = operations.flatMap(({ parameters = [] }) => parameters).filter((parameter) => !('$ref' in parameter));
  const uses = Map.groupBy(all, (parameter) => JSON.stringify(parameter));
  const shared: Record<string, ParameterObject> = {};
  const share = (parameter: ParameterObject | ReferenceObject) => {
    const text = JSON.stringify(parameter);
    if ('$ref' in parameter || (uses.get(text) ?? []).length < 2) return parameter;
    const name = nameOf(parameter);
    shared[name] ??= parameter;
    return JSON.stringify(shared[name]) === text ? { $ref: `#/components/parameters/${name}` } : parameter;
  };
  for (const operation of operations)
    if (operation.parameters !== undefined) operation.parameters = operation.parameters.map(share);
  return shared;
}

function nameOf({ name }: ParameterObject): string {
  const words = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('');
}
