/** Before the first word of a statement: white space, empty statements and comments. */
const START = String.raw`^(?:[\s;]|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*`;

const CONTROLS = new RegExp(`${START}(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE)\\b`, 'i');
const READS = new RegExp(`${START}(?:SELECT|VALUES|SHOW)\\b`, 'i');
const MAY_READ = new RegExp(`${START}(?:WITH|EXPLAIN)\\b`, 'i');
const CHANGES = /\b(?:INSERT|UPDATE|DELETE|MERGE|REPLACE)\b/i;

/** How TypeORM nests transactions. */
const SAVEPOINT_OF_TYPEORM = /^(?:SAVEPOINT|RELEASE SAVEPOINT|ROLLBACK TO SAVEPOINT) typeorm_\d+$/;

/**
 * Refuses statements that begin or end a transaction, because they would affect other users of the connection.
 * @throws Error
 */
export function refuseTransactionControl(sql: string): void {
  if (!CONTROLS.test(sql) || SAVEPOINT_OF_TYPEORM.test(sql)) return;
  throw new Error(
    `"${sql.trim()}" must not be sent as a statement. Use dataSource.transaction, or startTransaction of a query runner.`,
  );
}

/** Whether a statement changes nothing. */
export function isRead(sql: string): boolean {
  return READS.test(sql) || (MAY_READ.test(sql) && !CHANGES.test(sql));
}
