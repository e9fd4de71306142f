import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Events } from './events.js';

/** Not global, because global modules are shut down last, and listeners must end before the database is closed. */
@Module({
  imports: [DiscoveryModule, EventEmitterModule.forRoot({ wildcard: true })],
  providers: [Events],
  exports: [Events],
})
export class EventsModule {}
