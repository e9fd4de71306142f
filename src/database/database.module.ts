import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Env } from '../config/index.js';
import { Database } from './database.js';
import { type DatabaseParts, EMBEDDED_DATABASE_URL, isPostgresUrl } from './database-options.js';
import { PostgresDatabase } from './postgres/postgres-database.js';
import { migrationOptions, poolOptions } from './postgres/postgres-options.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';
import { sqliteFile, sqliteOptions } from './sqlite/sqlite-options.js';

/** Opens the database, migrates it, and gives every module the way to it: `Database`, which is the data source as well. */
@Global()
@Module({})
export class DatabaseModule {
  static of(env: Env, parts: DatabaseParts): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...optionsOf(env, parts),
            autoLoadEntities: true,
            // A process that cannot open its database exits, and its supervisor restarts it.
            toRetry: () => false,
          }),
          dataSourceFactory: async (options) => open(required(options), env, parts),
        }),
      ],
      providers: [{ provide: Database, useExisting: DataSource }],
      exports: [Database],
    };
  }
}

const urlOf = ({ DATABASE_URL = EMBEDDED_DATABASE_URL }: Env) => DATABASE_URL;

function optionsOf(env: Env, parts: DatabaseParts): DataSourceOptions {
  const url = urlOf(env);
  return isPostgresUrl(url) ? poolOptions(url, env, parts) : sqliteOptions(sqliteFile(url), parts);
}

function open(options: DataSourceOptions, env: Env, parts: DatabaseParts): Database {
  return options.type === 'postgres'
    ? new PostgresDatabase(options, migrationOptions(urlOf(env), parts), env)
    : new SqliteDatabase(options, env.DATABASE_TRANSACTION_TIMEOUT_MS);
}

function required(options: DataSourceOptions | undefined): DataSourceOptions {
  if (options === undefined) throw new TypeError('The data source has no options.');
  return options;
}
