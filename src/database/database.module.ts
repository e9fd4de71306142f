import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Env } from '../config/index.js';
import { Database } from './database.js';
import { type DatabaseParts, databaseUrlOf, isPostgresUrl } from './database-options.js';
import { PostgresDatabase } from './postgres/postgres-database.js';
import { migrationOptions, poolOptions } from './postgres/postgres-options.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';
import { sqliteFile, sqliteOptions } from './sqlite/sqlite-options.js';

/** Opens the database, migrates it, and gives every module the way to it: `Database`, which is the data source as well. */
@Global()
@Module({})
export class DatabaseModule {
  static of(env: Env, parts: DatabaseParts): DynamicModule {
    const url = databaseUrlOf(env);
    const optionsOf = (): DataSourceOptions =>
      isPostgresUrl(url) ? poolOptions(url, env, parts) : sqliteOptions(sqliteFile(url), parts);
    const databaseOf = (options: DataSourceOptions) =>
      options.type === 'postgres'
        ? new PostgresDatabase(options, migrationOptions(url, parts), env)
        : new SqliteDatabase(options, env.DATABASE_TRANSACTION_TIMEOUT_MS);
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...optionsOf(),
            autoLoadEntities: true,
            // A process that cannot open its database exits, and its supervisor restarts it.
            toRetry: () => false,
          }),
          dataSourceFactory: async (options = optionsOf()) => databaseOf(options),
        }),
      ],
      providers: [{ provide: Database, useExisting: DataSource }],
      exports: [Database],
    };
  }
}
