/** How values of a column are sorted, and kept as text without loss. */
export interface SortType {
  /** SQL of what is sorted by. */
  readonly key: (column: string) => string;
  /** SQL of the value as text, or as what the driver turns into a value whose text is exact. */
  readonly text: (column: string) => string;
  /** SQL of a parameter with the value. */
  readonly value: (parameter: string) => string;
  /** Value of the parameter. */
  readonly parse: (text: string) => string | number;
  /** Whether a text can be a value: clients can send any, and PostgreSQL fails on an impossible one. */
  readonly isValid: (text: string) => boolean;
}

const itself = (sql: string) => sql;
/** Without the parentheses, the query builder would take it for the property of the entity. */
const unchanged = (column: string) => `(${column})`;
const castTo = (type: string) => (sql: string) => `CAST(${sql} AS ${type})`;

/** With microseconds, which a `Date` would lose. */
const TIME_FORMAT = 'YYYY-MM-DD HH24:MI:SS.US';
const TIME = /^(?!0000)(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.\d{6}$/;

const isText = (text: string) => text.isWellFormed() && !text.includes('\0');
const isInt64 = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
const isNumber = (text: string) => isInfinity(text) || (text.trim() !== '' && Number.isFinite(Number(text)));
const isInfinity = (text: string) => /^-?Infinity$/.test(text);
/** TypeORM writes numbers into the statement, and SQLite has no other literal for infinity. */
const sqliteNumber = (text: string) => (isInfinity(text) ? text.replace('Infinity', '9e999') : Number(text));
const isNumeric = (text: string) => /^-?\d{1,500}(\.\d{1,500})?$/.test(text);
const isUuid = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);
const isDate = (text: string) => isTime(`${text} 00:00:00.000000`);

/** Whether it is of the form of `TIME_FORMAT`, of a day that exists. */
function isTime(text: string): boolean {
  const [, day = '', time = ''] = TIME.exec(text) ?? [];
  const date = new Date(`${day}T${time}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${day}T${time}`);
}

const sorted = (type: Partial<SortType>): SortType => ({
  key: itself,
  text: castTo('TEXT'),
  value: itself,
  parse: itself,
  isValid: isText,
  ...type,
});

const INTEGER = sorted({ isValid: isInt64 });
const NUMBER = sorted({ parse: Number, isValid: isNumber });
const TIMESTAMP = sorted({ text: (column) => `to_char(${column}, '${TIME_FORMAT}')`, isValid: isTime });

const named = (names: readonly string[], type: SortType) => names.map((name): [string, SortType] => [name, type]);

/** Types by the names that TypeORM's drivers give them. SQLite's driver reads a real number exactly, its SQL does not. */
const ON_SQLITE: ReadonlyMap<string, SortType> = new Map([
  ...named(['integer', 'bigint', 'int8', 'int2', 'smallint', 'tinyint', 'boolean'], INTEGER),
  // Not decimals, which SQLite keeps as text or rounds.
  ...named(
    ['real', 'double', 'double precision', 'float'],
    sorted({ ...NUMBER, text: unchanged, value: castTo('REAL'), parse: sqliteNumber }),
  ),
  ...named(['text', 'varchar', 'character varying', 'datetime', 'date'], sorted({})),
]);

const ON_POSTGRES: ReadonlyMap<string, SortType> = new Map([
  // A value may be out of the range of its column.
  ...named(['integer', 'bigint', 'smallint'], sorted({ ...INTEGER, value: castTo('BIGINT') })),
  ...named(
    ['real', 'double precision'],
    sorted({
      ...NUMBER,
      text: (column) => `CAST(CAST(${column} AS DOUBLE PRECISION) AS TEXT)`,
      value: castTo('DOUBLE PRECISION'),
      isValid: (text) => text === 'NaN' || isNumber(text),
    }),
  ),
  ...named(['text', 'character varying'], sorted({ key: (column) => `${column} COLLATE "C"` })),
  ['numeric', sorted({ isValid: isNumeric })],
  ['boolean', sorted({ isValid: (text) => text === 'true' || text === 'false' })],
  ['uuid', sorted({ isValid: isUuid })],
  ['date', sorted({ text: (column) => `to_char(${column}, 'YYYY-MM-DD')`, isValid: isDate })],
  ['timestamp without time zone', TIMESTAMP],
  [
    'timestamp with time zone',
    sorted({
      ...TIMESTAMP,
      text: (column) => `to_char(${column} AT TIME ZONE 'UTC', '${TIME_FORMAT}')`,
      value: (parameter) => `CAST(${parameter} AS TIMESTAMP) AT TIME ZONE 'UTC'`,
    }),
  ],
]);

/** How a type of columns is sorted; undefined if pages cannot be sorted by it. */
export function sortType(isPostgres: boolean, type: string): SortType | undefined {
  return (isPostgres ? ON_POSTGRES : ON_SQLITE).get(type);
}
