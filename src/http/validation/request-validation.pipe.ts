import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, type ValidationError, type ValidatorOptions } from 'class-validator';
import { LRUCache } from 'lru-cache';
import { unknownName } from '../errors/client-names.js';
import { MAX_FAULTS, validationFailed } from '../errors/api-error.js';
import { EMPTY_BODY, emptyBody, notAnObject } from '../json/parse-json.js';
import { unsupportedMediaType } from '../requests/bodies.js';

/** For more of them, class-validator would take milliseconds. */
const MAX_NAMES = 1_000;

const OPTIONS: ValidatorOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: false,
  stopAtFirstError: true,
  validationError: { value: false },
};

/** No DTOs, as in Nest's ValidationPipe. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set([undefined, Object, String, Number, Boolean, Array, Buffer, Date]);

type Place = 'body' | 'query' | 'param';

const KINDS: Readonly<Record<Place, string>> = { body: 'field', query: 'query parameter', param: 'path parameter' };

/** By their class and their text. */
const validQueries = new WeakMap<Function, LRUCache<string, object>>();
const MAX_VALID_QUERIES = 500;

/**
 * For the DTO of a query whose rules depend on nothing else: requests with the same query share one frozen instance.
 * Validation takes a quarter of the processor time of a cached list.
 */
export function ValidatedOnce(): ClassDecorator {
  return (metatype) => {
    validQueries.set(metatype, new LRUCache({ max: MAX_VALID_QUERIES }));
  };
}

/**
 * Turns `@Body()`, `@Query()` and `@Param()` into checked instances of their DTO classes, without unknown fields. Nest's
 * ValidationPipe is three times as slow, coerces primitives (`0x10` becomes 16), and accepts a field named `constructor`.
 * @throws ApiError `validation_failed`
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  /** Returns a promise only for what it validates: most parameters need no turn of the event loop. */
  transform(value: unknown, { type: place, metatype, data }: ArgumentMetadata): unknown {
    if (place === 'custom' || metatype === undefined || PLAIN_TYPES.has(metatype)) {
      if (value === EMPTY_BODY) throw emptyBody();
      return value;
    }
    if (data === undefined) {
      if (place === 'query') return queryOf(value, metatype);
      // Generated clients send `null` for a body that can be left out.
      if (place === 'body' && value !== null) checkObject(value);
      return instanceOf(value, metatype, place);
    }
    // Another pipe of the parameter makes its value from a text, as in `@Param('id', UserByIdPipe) user: User`.
    if (typeof value !== 'object' && rulesOf(metatype).length === 0) return value;
    if (place !== 'body' && typeof value !== 'object') return instanceOf({}, metatype, place).then(() => value);
    if (place === 'body') checkObject(value, data);
    return instanceOf(value ?? {}, metatype, place);
  }
}

function queryOf(query: unknown, metatype: Type): unknown {
  const valid = validQueries.get(metatype);
  if (valid === undefined) return instanceOf(query, metatype, 'query');
  const text = JSON.stringify(query);
  return (
    valid.get(text) ??
    instanceOf(query, metatype, 'query').then((dto) => {
      valid.set(text, Object.freeze(dto));
      return dto;
    })
  );
}

async function instanceOf(value: unknown, metatype: Type, place: Place): Promise<object> {
  checkNames(Object.keys(value ?? {}), place);
  const dto = await transformed(value ?? {}, metatype, place);
  const errors = await validate(dto, OPTIONS);
  const broken = describe(errors, place);
  const faults = broken.length === 0 ? unstorableTexts(value) : broken;
  if (faults.length === 0) return dto;
  if (value === EMPTY_BODY) throw emptyBody();
  if (value === null) throw notAnObject();
  // A POST needs no body where all its fields are optional.
  throw value === undefined ? unsupportedMediaType() : validationFailed(faults);
}

/** Transformations, such as `value.trim()`, expect what the rules check only afterwards. */
async function transformed(value: object, metatype: Type, place: Place): Promise<object> {
  try {
    return plainToInstance(metatype, value, { exposeDefaultValues: true }) as object;
  } catch (error) {
    const untransformed = Object.assign(new metatype() as object, value);
    const faults = describe(await validate(untransformed, { ...OPTIONS, whitelist: false }), place);
    throw faults.length === 0 ? error : validationFailed(faults);
  }
}

function checkObject(body: unknown, name?: string): void {
  if (body === undefined || (typeof body === 'object' && body !== null && !Array.isArray(body))) return;
  throw notAnObject(name);
}

/** To class-validator, names that every object inherits, such as `constructor`, are known. The JSON parser refuses nested ones. */
function checkNames(names: readonly string[], place: Place): void {
  if (names.length > MAX_NAMES)
    throw validationFailed([`The ${place} must not have more than ${MAX_NAMES} parameters`]);
  const inherited = names.filter((name) => name in Object.prototype);
  if (inherited.length > 0) throw validationFailed(inherited.map((name) => unknownName(KINDS[place], name)));
}

/** Texts that PostgreSQL refuses or that UTF-8 cannot keep, which class-validator's rules for text allow. */
function unstorableTexts(value: unknown, name = ''): string[] {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed() ? [`${name} must be without U+0000 and lone surrogates`] : [];
  if (typeof value !== 'object' || value === null) return [];
  const prefix = name === '' ? '' : `${name}.`;
  return Object.entries(value).flatMap(([member, inner]) => unstorableTexts(inner, prefix + member));
}

/** The faults of all fields, nested ones with their path, such as `items.0.name must be ...`. */
function describe(
  errors: readonly ValidationError[],
  place: Place,
  parent = '',
  left: { names: number; told?: string } = { names: MAX_FAULTS },
): string[] {
  return errors.flatMap(({ property, target, constraints = {}, children = [] }) => {
    const { whitelistValidation, ...broken } = constraints;
    const kind = KINDS[place] + (parent === '' ? '' : ` of ${parent.slice(0, -1)}`);
    // A message has no more of them, and each is compared with all known names.
    const isNamed = whitelistValidation !== undefined && left.names-- > 0;
    const unknown = isNamed ? [unknownName(kind, property, namesIn(target), left.told !== kind)] : [];
    if (isNamed) left.told = kind;
    return [
      ...unknown,
      ...Object.values(broken).map((message) => parent + message.replace(/\.$/, '')),
      ...describe(children, place, `${parent}${property}.`, left),
    ];
  });
}

function namesIn({ constructor }: object = {}): string[] {
  return [...new Set(rulesOf(constructor).map(({ propertyName }) => propertyName))];
}

export function rulesOf(dto: Function) {
  return getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
}

export function hasNoRules(type: unknown): type is Function {
  return typeof type === 'function' && !PLAIN_TYPES.has(type) && rulesOf(type).length === 0;
}
