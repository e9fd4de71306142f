import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { Env } from '../config/index.js';
import { type DatabaseParts, EMBEDDED_DATABASE_URL, READER, readerOptions, sqliteFile, writerOptions } from './data-source-options.js';
import { Database } from './database.js';
import { openReader, openWriter } from './open-data-source.js';

/** Opens the database, migrates it, and gives every module the way to it. */
@Global()
@Module({})
export class DatabaseModule {
  static of(parts: DatabaseParts): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [Env],
          useFactory: (env: Env) => ({
            ...writerOptions(sqliteFile(env.DATABASE_URL ?? EMBEDDED_DATABASE_URL), parts),
            retryAttempts: 0,
          }),
          dataSourceFactory: (options?: DataSourceOptions) => openWriter(required(options)),
        }),
        TypeOrmModule.forRootAsync({
          name: READER,
          // Reading starts once the writer has made the file and its schema.
          inject: [getDataSourceToken()],
          useFactory: ({ options }: DataSource) => ({
            ...readerOptions(String(options.database), parts),
            retryAttempts: 0,
          }),
          dataSourceFactory: (options?: DataSourceOptions) => openReader(required(options)),
        }),
      ],
      providers: [Database],
      exports: [Database],
    };
  }
}

function required(options: DataSourceOptions | undefined): DataSourceOptions {
  if (options === undefined) throw new TypeError('The data source has no options.');
  return options;
}
