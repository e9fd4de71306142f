/** better-sqlite3 under another name: TypeORM's optional peer of its own name has a range that ends before version 13. */
declare module 'sqlite-driver' {
  import Sqlite = require('better-sqlite3');
  export = Sqlite;
}
