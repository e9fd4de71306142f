import 'reflect-metadata';
import { loadEnv } from './src/config/index.js';
import { createDataSource } from './src/database-parts.js';

export default createDataSource(loadEnv());
