import type { Change } from '../events/index.js';
import type { PetRow } from './pets.repository.js';

/** The events of pets. */
export interface PetEvents {
  'pet.created': Change<undefined, PetRow>;
  /** Fields of a pet, or its status by an order. */
  'pet.changed': Change<PetRow, PetRow>;
  /** In the transaction, told before the pet is removed, so that what refers to it can go first. */
  'pet.removed': Change<PetRow, undefined>;
}

declare module '../events/domain-event.js' {
  interface EventMap extends PetEvents {}
}
