import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';

/** Tells callers where they stand; admission has found it out. */
@Module({ controllers: [UsageController] })
export class UsageModule {}
