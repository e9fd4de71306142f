import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Rule = (dto: object, value: unknown) => boolean;
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The class-validator rules of a DTO. */
export interface Rules {
  /** Of the fields that have any. */
  readonly names: ReadonlySet<string>;
  /**
   * Whether an instance certainly keeps them: where not, class-validator has to find out, and to say what is wrong. It
   * sorts its metadata anew for every object and makes an error of every field before it looks.
   */
  areKept(dto: object): boolean;
}

const rulesOfDto = new WeakMap<Function, Rules>();

/** Read when they are asked for first: what is declared by then counts. */
export function rulesOf(Dto: Function): Rules {
  let rules = rulesOfDto.get(Dto);
  if (rules === undefined) {
    rules = readRules(Dto);
    rulesOfDto.set(Dto, rules);
  }
  return rules;
}

function readRules(Dto: Function): Rules {
  const all = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
  const fields = [...Map.groupBy(all, ({ propertyName }) => propertyName)].map(([name, ofField]) => ({ name, rule: ruleOf(ofField) }));
  return {
    names: new Set(fields.map(({ name }) => name)),
    areKept: (dto) => fields.every(({ name, rule }) => rule(dto, dto[name as keyof typeof dto])),
  };
}

/** Of one field; never kept where one of its rules is of a kind that is not known here. */
function ruleOf(ofField: readonly Metadata[]): Rule {
  const conditions = ofField.filter(isCondition);
  const checks = ofField.filter((one) => !isCondition(one)).map(checkOf);
  if (!checks.every((check) => check !== undefined)) return () => false;
  return (dto, value) => conditions.some(({ constraints: [applies] }) => !applies(dto, value)) || checks.every((check) => check(dto, value));
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
