import { getMetadataStorage, ValidationTypes } from 'class-validator';

/** The properties of each class with `@ValidateNested()`. */
const nestedProperties = new WeakMap<Function, readonly string[]>();

/**
 * Finds lists within the lists of `@ValidateNested()` properties. class-validator validates the objects inside of them, and
 * so accepts `[[{}]]` in place of `[{}]`.
 * @param dto an instance of a DTO class
 * @returns a fault for each
 */
export function nestedLists(dto: object, parent = ''): string[] {
  return propertiesOf(dto.constructor).flatMap((property) => {
    const value: unknown = Reflect.get(dto, property);
    const path = `${parent}${property}`;
    if (!Array.isArray(value)) return faultsOf(value, path);
    return value.flatMap((item, index) => faultsOf(item, `${path}.${index}`));
  });
}

function faultsOf(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [`${path} must be an object`];
  return typeof value === 'object' && value !== null ? nestedLists(value, `${path}.`) : [];
}

function propertiesOf(type: Function): readonly string[] {
  const known = nestedProperties.get(type);
  if (known !== undefined) return known;
  const all = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const nested = all.filter((metadata) => metadata.type === ValidationTypes.NESTED_VALIDATION);
  const properties = [...new Set(nested.map(({ propertyName }) => propertyName))];
  nestedProperties.set(type, properties);
  return properties;
}
