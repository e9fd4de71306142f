import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';

/** Returns the caller's usage, which admission has read. */
@Module({ controllers: [UsageController] })
export class UsageModule {}
