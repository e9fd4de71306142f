import SQLite from 'better-sqlite3';

export type Database = ReturnType<typeof openDatabase>;

export function openDatabase(url: string) {
  const database = new SQLite(url.slice('sqlite:'.length));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  return database;
}
