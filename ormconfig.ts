import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { ACCOUNT_ENTITIES } from './src/auth/index.js';
import { loadEnv } from './src/config/index.js';
import { EMBEDDED_DATABASE_URL, sqliteFile, writerOptions } from './src/database/index.js';
import { PET_ENTITIES } from './src/pets/index.js';
import { COUNTER_ENTITIES } from './src/rate-limit/index.js';

// For the typeorm command line, which takes the one data source that this file exports.
export default new DataSource(
  writerOptions(sqliteFile(loadEnv().DATABASE_URL ?? EMBEDDED_DATABASE_URL), {
    entities: [...PET_ENTITIES, ...ACCOUNT_ENTITIES, ...COUNTER_ENTITIES],
  }),
);
