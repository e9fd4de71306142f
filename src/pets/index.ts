export { Animal, ListPetsQuery, NewPet, PetChange, PetFields } from './pet.dto.js';
export { PET_STATUSES, PetEntity, type PetStatus } from './pet.entity.js';
export { PetsModule } from './pets.module.js';
export type { PetEvents, PetRow } from './pets.repository.js';
export { PetId } from './pets.controller.js';
export { petNotAvailable, petNotFound, PetsService } from './pets.service.js';
