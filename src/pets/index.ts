import { PetEntity } from './pet.entity.js';

export { PetsModule } from './pets.module.js';
export { PetsService } from './pets.service.js';
export { PET_STATUSES, type PetStatus } from './pet-status.js';

/** What the catalogue keeps in the database. */
export const PET_ENTITIES = [PetEntity];
