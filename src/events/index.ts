export { BeforeCommit, type BeforeCommitListener } from './before-commit.decorator.js';
export type { Change, DomainEvent, EventMap, EventName } from './domain-event.js';
export { Events } from './events.js';
export { EventsModule } from './events.module.js';
