import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Events } from './events.js';

/** Not global, since global modules are shut down last: events under way end before the database is closed. */
@Module({
  imports: [DiscoveryModule, EventEmitterModule.forRoot({ wildcard: true })],
  providers: [Events],
  exports: [Events],
})
export class EventsModule {}
