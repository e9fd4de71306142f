import { PetEntity } from './pet.entity.js';

export { Animal, ListPetsQuery, NewPet, PetChange, type PetFields } from './pet.dto.js';
export { PetId } from './pet-id.decorator.js';
export { PET_STATUSES, type PetStatus } from './pet.entity.js';
export { PetEntity } from './pet.entity.js';
export type { PetEvents } from './pet.events.js';
export { PetsModule } from './pets.module.js';
export type { PetRow } from './pets.repository.js';
export { petNotAvailable, petNotFound } from './pet-errors.js';
export { PetsService } from './pets.service.js';

/** The entities of the catalogue. */
export const PET_ENTITIES = [PetEntity];
