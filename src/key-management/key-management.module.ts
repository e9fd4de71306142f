import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { KeysController } from './keys.controller.js';

/** Keys over HTTP: an account's keys may look after each other. */
@Module({ imports: [AuthModule, IdempotencyModule], controllers: [KeysController] })
export class KeyManagementModule {}
