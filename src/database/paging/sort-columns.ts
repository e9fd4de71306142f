import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { isPostgres } from '../statements.js';
import { sortType, type SortType } from './sort-types.js';

/** What a list is sorted by: properties of the entity, all in one direction. */
export type PageOrder<Entity> = Readonly<Partial<Record<keyof Entity & string, 'ASC' | 'DESC'>>>;

/** A column that a list is sorted by. */
export interface SortColumn extends SortType {
  /** Alias and property, as the query builder takes it. */
  readonly path: string;
  readonly isNullable: boolean;
}

/** What a page is sorted by: the columns of the order and the primary key, which comes last. */
export interface Sorting {
  readonly columns: readonly SortColumn[];
  readonly direction: 'ASC' | 'DESC';
}

/** @throws TypeError if a list cannot be read in this order page by page */
export function sortingOf<Entity extends ObjectLiteral>(
  { expressionMap: { mainAlias }, dataSource }: SelectQueryBuilder<Entity>,
  order: PageOrder<Entity>,
): Sorting {
  if (mainAlias === undefined) throw new TypeError('A page needs a query of an entity.');
  const { metadata, name: alias } = mainAlias;
  const [direction = 'ASC', ...others] = new Set(Object.values<'ASC' | 'DESC' | undefined>(order));
  if (others.length > 0) throw new TypeError('The properties of an order must have one direction.');
  const [primary, ...more] = metadata.primaryColumns.map(({ propertyPath }) => propertyPath);
  if (primary === undefined || more.length > 0)
    throw new TypeError(`${metadata.name} needs one primary key to be read in pages.`);
  const columns = [...new Set([...Object.keys(order), primary])].map((property): SortColumn => {
    const column = metadata.findColumnWithPropertyPath(property);
    const type = column && sortType(isPostgres({ dataSource }), dataSource.driver.normalizeType(column));
    if (type === undefined) throw new TypeError(`Pages cannot be sorted by ${property} of ${metadata.name}.`);
    return { ...type, path: `${alias}.${property}`, isNullable: column?.isNullable === true };
  });
  if (columns.length > 2 && columns.some(({ isNullable }) => isNullable))
    throw new TypeError('In an order of several properties, none may be nullable.');
  return { columns, direction };
}
