import 'reflect-metadata';
import { createDataSource, loadEnv } from 'petstore-service';
import { REVIEWS } from './src/index.js';

/** For the typeorm command line. */
export default createDataSource(loadEnv(), [REVIEWS]);
