import 'reflect-metadata';
import { loadEnv } from './src/platform/index.js';
import { createDataSource } from './src/database-parts.js';

export default createDataSource(loadEnv());
