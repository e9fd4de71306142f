import 'reflect-metadata';
import { createDataSource, loadEnv } from 'petstore-service';
import { VET_VISITS } from './extension.js';

/** For the typeorm command line. */
export default createDataSource(loadEnv(), [VET_VISITS]);
