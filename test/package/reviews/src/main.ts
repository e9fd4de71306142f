import 'reflect-metadata';
import { startService } from 'petstore-service';
import { REVIEWS } from './index.js';

await startService({ extensions: [REVIEWS] });
