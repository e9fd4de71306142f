export { eventJson, SUBJECT, TYPE_PATTERN } from './event.dto.js';
export { EventFeedModule } from './event-feed.module.js';
