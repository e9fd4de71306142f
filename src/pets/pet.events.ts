import type { Change } from '../events/index.js';
import type { PetRow } from './pets.repository.js';

/** The events of pets. */
export interface PetEvents {
  'pet.created': Change<undefined, PetRow>;
  /** Fields of a pet, or its status by an order. */
  'pet.changed': Change<PetRow, PetRow>;
  /** Raised before the row is deleted, so that listeners can delete rows that reference it. */
  'pet.removed': Change<PetRow, undefined>;
}

declare module '../events/domain-event.js' {
  interface EventMap extends PetEvents {}
}
