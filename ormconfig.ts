import 'reflect-metadata';
import { loadEnv } from './src/platform/config/load-env.js';
import { createDataSource } from './src/database-parts.js';

export default createDataSource(loadEnv());
