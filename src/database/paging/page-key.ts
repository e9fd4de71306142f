import type { DataSource, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { isCanonicalInt64 } from '../../platform/int64.js';
import { byBytes, type SqlParameter } from '../statements.js';

export type PageOrder<Entity> = Readonly<Partial<Record<keyof Entity & string, 'ASC' | 'DESC'>>>;

/** A column, the SQL of a value of it, and the parameter of that SQL, if it is a `?`. */
export type ColumnValue = { readonly column: string; readonly value: string; readonly parameter?: SqlParameter };

/** A column that a list is sorted by, with the parameter that the page starts after. */
export interface KeyColumn extends ColumnValue {
  readonly property: string;
  /** Alias and property. */
  readonly path: string;
  /** Whether a text can be a value: clients can send any, and PostgreSQL fails on an impossible one. */
  readonly isValid: (text: string) => boolean;
}

/** The property of an order, if that is not the primary key, and the primary key. */
export type KeyColumns = readonly [KeyColumn] | readonly [KeyColumn, KeyColumn];

const TIME =
  /^(?!0000)(\d{4}-\d\d-\d\d)( ([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?([+-](0\d|1[0-4])(:[0-5]\d){0,2})?)?$/;

const isText = (text: string) => text.isWellFormed() && !text.includes('\0');
const isUuid = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** PostgreSQL has infinite times too. */
function isTime(text: string): boolean {
  if (/^-?infinity$/.test(text)) return true;
  const [, day = ''] = TIME.exec(text) ?? [];
  const date = new Date(day);
  // JavaScript takes February 30 for March 2.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** By the names that TypeORM's drivers give types of columns. SQLite keeps dates as text. */
function validatorOf(column: ColumnMetadata, { driver }: DataSource): KeyColumn['isValid'] | undefined {
  if (column.type === 'uuid') return isUuid;
  const type = String(column.type).startsWith('simple-') ? '' : driver.normalizeType(column);
  if (['integer', 'bigint', 'smallint'].includes(type)) return isCanonicalInt64;
  if (['text', 'varchar', 'character varying', 'datetime'].includes(type)) return isText;
  return /^(date|timestamp with(out)? time zone)$/.test(type) ? isTime : undefined;
}

/** @throws TypeError if a list cannot be read in this order page by page */
export function keyColumns<Entity extends ObjectLiteral>(
  { expressionMap: { mainAlias, joinAttributes }, dataSource }: SelectQueryBuilder<Entity>,
  order: PageOrder<Entity>,
): KeyColumns {
  if (mainAlias === undefined) throw new TypeError('A page needs a query of an entity.');
  if (joinAttributes.some(({ relation }) => relation?.isOneToMany === true || relation?.isManyToMany === true))
    throw new TypeError('A page cannot be read by a query whose joins repeat rows.');
  const { metadata, name: alias } = mainAlias;
  const [property, ...properties] = Object.keys(order);
  const [primary, ...primaries] = metadata.primaryColumns.map(({ propertyPath }) => propertyPath);
  if (property === undefined || primary === undefined || properties.length + primaries.length > 0)
    throw new TypeError(`Pages of ${metadata.name} must be sorted by one property, and have one primary key.`);
  const columnOf = (name: string, parameter: string): KeyColumn => {
    const column = metadata.findColumnWithPropertyPath(name);
    const isValid = column && validatorOf(column, dataSource);
    if (isValid === undefined || column?.isNullable === true)
      throw new TypeError(`${name} of ${metadata.name} must be an integer, a text or a date, and not nullable.`);
    const path = `${alias}.${name}`;
    return {
      property: name,
      path,
      column: isValid === isText ? byBytes({ dataSource }, path) : path,
      // A value may be out of the range of its column.
      value: isValid === isCanonicalInt64 ? `CAST(:${parameter} AS BIGINT)` : `:${parameter}`,
      isValid,
    };
  };
  if (property === primary) return [columnOf(primary, 'pageStart0')];
  return [columnOf(property, 'pageStart0'), columnOf(primary, 'pageStart1')];
}

/** An identifier that is the whole key stays as it is; other keys are opaque, so that an order can change. */
export function pageCursor(key: readonly string[]): string {
  const [only = ''] = key;
  return key.length === 1 && isCanonicalInt64(only) ? only : Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws DomainError `validation_failed` if it is no cursor of an order of these columns */
export function parseCursor(cursor: string, columns: KeyColumns): readonly string[] {
  const key = columns.length === 1 && isCanonicalInt64(cursor) ? [cursor] : parse(cursor);
  const isValid =
    Array.isArray(key) &&
    key.length === columns.length &&
    columns.every((column, index) => typeof key[index] === 'string' && column.isValid(key[index]));
  if (!isValid) throw new DomainError('validation_failed', 'after must be as in the Link header of the previous page.');
  return key;
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}
