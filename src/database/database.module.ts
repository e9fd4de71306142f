import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Registry } from '@prometheus-io/client';
import { DataSource, type DataSourceOptions, MigrationExecutor, TypeORMError } from 'typeorm';
import type { Env } from '../platform/config/env.js';
import { Database } from './database.js';
import { OldRows } from './old-rows.js';
import { type DatabaseParts, databaseUrlOf, isPostgresUrl } from './database-options.js';
import { pendingMigrations } from './migrations/index.js';
import { PostgresDatabase } from './postgres/postgres-database.js';
import { migrationOptions, poolOptions, postgresDataSource } from './postgres/postgres-options.js';
import { StatementObserver } from './statement-observer.js';
import { SqliteDatabase, sqliteOptions } from './sqlite/sqlite-database.js';
import { StrictDriver } from './sqlite/strict-driver.js';
import { createDatabaseFile, sqliteFile } from './sqlite/sqlite-file.js';

/** Opens the database, migrates it, and gives every module the way to it: `Database`, which is the data source as well. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(env: Env, parts: DatabaseParts, registry?: Registry): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          // A process that cannot open its database exits, and its supervisor restarts it.
          useFactory: () => ({ ...optionsOf(env, parts), autoLoadEntities: true, toRetry: () => false }),
          // Nest calls it with what `useFactory` returned, and the entities of features.
          dataSourceFactory: async (options) => databaseOf(options as DataSourceOptions, env, parts, registry),
        }),
      ],
      providers: [{ provide: Database, useExisting: DataSource }, OldRows],
      exports: [Database, OldRows],
    };
  }
}

function optionsOf(env: Env, parts: DatabaseParts): DataSourceOptions {
  const url = databaseUrlOf(env);
  return isPostgresUrl(url) ? poolOptions(url, env, parts) : sqliteOptions(sqliteFile(url), parts);
}

function databaseOf(options: DataSourceOptions, env: Env, parts: DatabaseParts, registry?: Registry): Database {
  const system = options.type === 'postgres' ? 'postgresql' : 'sqlite';
  const observer = new StatementObserver(system, env.SLOW_STATEMENT_MS, registry);
  if (options.type !== 'postgres') return new SqliteDatabase(options, env, observer);
  return new PostgresDatabase(options, migrationOptions(databaseUrlOf(env), parts), env, observer);
}

/** Runs pending migrations, for deployments whose service may not change the schema. */
export async function migrateDatabase(env: Env, parts: DatabaseParts): Promise<void> {
  const database = databaseOf(optionsOf(env, parts), { ...env, MIGRATE_ON_START: true }, parts);
  await database.initialize();
  await database.destroy();
}

/** A data source for the typeorm command line: not open yet, with one connection and without time limits. */
export function commandLineDataSource(databaseUrl: string, parts: DatabaseParts): DataSource {
  if (isPostgresUrl(databaseUrl)) return comparingMigrated(postgresDataSource(migrationOptions(databaseUrl, parts)));
  const file = sqliteFile(databaseUrl);
  createDatabaseFile(file);
  const dataSource = new DataSource(sqliteOptions(file, parts));
  dataSource.driver = new StrictDriver(dataSource);
  return comparingMigrated(dataSource);
}

/** With migrations pending, `migration:generate` would write what they do into another one. */
function comparingMigrated(dataSource: DataSource): DataSource {
  const { driver } = dataSource;
  const createBuilder = driver.createSchemaBuilder.bind(driver);
  driver.createSchemaBuilder = () => {
    const builder = createBuilder();
    const log = builder.log.bind(builder);
    builder.log = async () => {
      const pending = await pendingMigrations(new MigrationExecutor(dataSource));
      if (pending.length > 0) throw new TypeORMError('Run the migrations first: npm run migrate');
      return log();
    };
    return builder;
  };
  return dataSource;
}
