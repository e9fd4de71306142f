import { Module } from '@nestjs/common';
import { EventsModule } from '../kernel.js';
import { EventFeed } from './event-feed.service.js';
import { EventsController } from './events.controller.js';

/** The log of events over HTTP. */
@Module({ imports: [EventsModule], controllers: [EventsController], providers: [EventFeed] })
export class EventFeedModule {}
