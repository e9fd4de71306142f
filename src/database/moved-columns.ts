import type { Database as SqliteConnection } from 'sqlite-driver';
import type { QueryRunner } from 'typeorm';

/** A column that is copied from SQLite to PostgreSQL. */
export interface MovedColumn {
  /** Quoted. */
  readonly name: string;
  /** In SQL of SQLite: its value as a text, which PostgreSQL converts. A number would round an int64. */
  readonly text: string;
  /** In SQL of PostgreSQL: the same for the same value, whether the column is that text or has its type. */
  readonly compared: string;
}

/** The sum of the checksums of rows, whatever their order. */
export interface Content {
  readonly rows: number;
  readonly sum: bigint;
}

/** The function `exact_text` of the columns of a source. */
export function defineExactText(source: SqliteConnection): void {
  source.function('exact_text', String);
}

export async function columnsOf(source: SqliteConnection, runner: QueryRunner, table: string): Promise<MovedColumn[]> {
  const sql = `SELECT column_name AS "name", data_type AS "type" FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = $1`;
  const rows = (await runner.query(sql, [table])) as { name: string; type: string }[];
  if (rows.length === 0)
    throw new Error(
      `The target has no table ${table}, which no migration creates. Create it there, or drop it in the source.`,
    );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  return (source.pragma(`table_info(${quoted(table)})`) as { name: string }[]).map((column) => {
    const name = quoted(column.name);
    const type = types.get(column.name) ?? '';
    return { name, text: textOf(name, type), compared: COMPARED[type]?.(name) ?? name };
  });
}

function textOf(column: string, type: string): string {
  if (type === 'timestamp with time zone') return `COALESCE(strftime('%Y-%m-%d %H:%M:%fZ', ${column}), ${column})`;
  if (type === 'bytea') return `iif(${column} IS NULL, NULL, '\\x' || lower(hex(${column})))`;
  // A cast would round a REAL to 15 digits.
  return `iif(typeof(${column}) = 'real', exact_text(${column}), CAST(${column} AS TEXT))`;
}

/**
 * What PostgreSQL writes in another way than SQLite, by type. Precision and scale of the column are left out, so that what
 * they round differs.
 */
const COMPARED: Readonly<Record<string, (column: string) => string>> = {
  boolean: (column) => `CAST(${column} AS INTEGER)`,
  numeric: (column) => `trim_scale(CAST(${column} AS NUMERIC))`,
  'double precision': (column) => `CAST(${column} AS DOUBLE PRECISION)`,
  // It has fewer digits than a REAL of SQLite, and what it rounds must differ too.
  real: (column) => `trim_scale(CAST(CAST(${column} AS TEXT) AS NUMERIC))`,
  'timestamp with time zone': (column) =>
    `to_char(CAST(${column} AS TIMESTAMP WITH TIME ZONE) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS"Z"')`,
  uuid: (column) => `CAST(${column} AS UUID)`,
};

/** Begins a statement that returns the content of what follows: FROM. */
export function selectContent(columns: readonly MovedColumn[]): string {
  const texts = columns.map(({ compared }) => `COALESCE(CAST(${compared} AS TEXT), '${NULL_TEXT}')`);
  // 15 hexadecimal digits, so that PostgreSQL can add them up.
  const digits = `substr(md5(concat_ws('${SEPARATOR}', ${texts.join()})), 1, 15)`;
  return `SELECT CAST(COUNT(*) AS TEXT) AS "rows",
    CAST(COALESCE(SUM(CAST(CAST(CAST('x' || ${digits} AS bit(60)) AS bigint) AS numeric)), 0) AS TEXT) AS "sum"`;
}

const NULL_TEXT = '\u001e';
const SEPARATOR = '\u001f';

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
