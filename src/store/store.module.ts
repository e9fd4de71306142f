import { Module } from '@nestjs/common';
import { EventsModule } from '../kernel.js';
import { PetsModule } from '../pets/index.js';
import { OrderExpiry } from './order-expiry.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [EventsModule, PetsModule],
  controllers: [OrdersController],
  providers: [OrdersService, OrdersRepository, OrderExpiry],
})
export class StoreModule {}
