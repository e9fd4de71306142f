import 'reflect-metadata';
import { startService } from 'petstore-service';
import { VET_VISITS } from './extension.js';

await startService({ extensions: [VET_VISITS] });
