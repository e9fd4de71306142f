import { onPostgres, queryDatabase } from './databases.js';

/** Makes the database refuse to update or delete some rows, as a trigger of an operator or a foreign key of a team does. */
export async function protectRows(
  folder: string,
  table: string,
  verb: 'UPDATE' | 'DELETE',
  which: string,
): Promise<void> {
  const name = `protected_${table}`;
  if (!onPostgres) {
    const body = `BEGIN SELECT RAISE(ABORT, 'protected'); END`;
    await queryDatabase(folder, `CREATE TRIGGER "${name}" BEFORE ${verb} ON "${table}" WHEN OLD.${which} ${body}`);
    return;
  }
  const body = `BEGIN RAISE EXCEPTION 'protected'; END`;
  await queryDatabase(
    folder,
    `CREATE OR REPLACE FUNCTION "${name}"() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`,
  );
  const trigger = `CREATE TRIGGER "${name}" BEFORE ${verb} ON "${table}" FOR EACH ROW WHEN (OLD.${which})`;
  await queryDatabase(folder, `${trigger} EXECUTE FUNCTION "${name}"()`);
}

export async function unprotectRows(folder: string, table: string): Promise<void> {
  await queryDatabase(folder, `DROP TRIGGER "protected_${table}"${onPostgres ? ` ON "${table}"` : ''}`);
}
