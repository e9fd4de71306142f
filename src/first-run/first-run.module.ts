import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { PetsModule } from '../pets/index.js';
import { FirstRunService } from './first-run.service.js';

/** Samples for the first start of the embedded default. */
@Module({ imports: [PetsModule, AuthModule], providers: [FirstRunService] })
export class FirstRunModule {}
