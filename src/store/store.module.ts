import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/index.js';
import { PetsModule } from '../pets/index.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';

/** The store: orders for pets. */
@Module({ imports: [PetsModule, IdempotencyModule], controllers: [OrdersController], providers: [OrdersService] })
export class StoreModule {}
