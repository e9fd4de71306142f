import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Rule = (dto: object, value: unknown) => boolean;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Of each field; undefined where a DTO has rules of kinds that are not known here. */
type Rules = ReadonlyMap<string, Rule> | undefined;

const rulesOfDto = new WeakMap<Function, Rules>();

/**
 * Whether a DTO certainly keeps its class-validator rules: where not, class-validator has to find out, and to say what is
 * wrong. It sorts its metadata anew for every object and makes an error of every field before it looks.
 */
export function keepsRules(dto: object): boolean {
  const Dto = dto.constructor;
  if (!rulesOfDto.has(Dto)) rulesOfDto.set(Dto, rulesOf(Dto));
  const rules = rulesOfDto.get(Dto);
  if (rules === undefined) return false;
  for (const [name, rule] of rules) if (!rule(dto, Reflect.get(dto, name))) return false;
  return true;
}

function rulesOf(Dto: Function): Rules {
  const all = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
  const rules = new Map<string, Rule>();
  for (const [name, ofField] of Map.groupBy(all, ({ propertyName }) => propertyName)) {
    const [conditions, others] = [ofField.filter(isCondition), ofField.filter((one) => !isCondition(one))];
    const checks = others.map(checkOf);
    if (!checks.every((check) => check !== undefined)) return undefined;
    rules.set(name, (dto, value) => !conditions.every(({ constraints: [applies] }) => applies(dto, value)) || checks.every((check) => check(dto, value)));
  }
  return rules;
}

function isCondition({ type }: Metadata): boolean {
  return type === ValidationTypes.CONDITIONAL_VALIDATION;
}

function checkOf({ type, each, validateIf, constraintCls, constraints, propertyName: property }: Metadata): Rule | undefined {
  if (type !== ValidationTypes.CUSTOM_VALIDATION || each || validateIf !== undefined) return undefined;
  const [constraint, another] = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  if (constraint === undefined || constraint.async || another !== undefined) return undefined;
  const { instance } = constraint;
  return (object, value) => instance.validate(value, { targetName: object.constructor.name, property, object, value, constraints }) === true;
}
