export { eventJson } from './event.dto.js';
export { EventFeedModule } from './event-feed.module.js';
