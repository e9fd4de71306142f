import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventsModule } from '../events.js';
import { Deliveries } from './deliveries.js';
import { DeliveryWorker } from './delivery-worker.js';
import { EventRetention, RemovedSubscriptions } from './event-retention.js';
import { LoggedEventListeners } from './logged-event-listeners.js';
import { Subscriptions } from './subscriptions.js';

/** Hands the events of the log to subscriptions. The command line only appends events. */
@Module({
  imports: [DiscoveryModule, EventsModule],
  providers: [Deliveries, DeliveryWorker, EventRetention, LoggedEventListeners, RemovedSubscriptions, Subscriptions],
  exports: [Deliveries, DeliveryWorker, Subscriptions],
})
export class EventDeliveryModule {}
