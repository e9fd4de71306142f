export { petNotAvailable, petNotFound } from './pet-errors.js';
export { Animal, ListPetsQuery, NewPet, PetChange, PetFields, PetId } from './pet.dto.js';
export { PET_STATUSES, PetEntity, type PetStatus } from './pet.entity.js';
export { PetsModule } from './pets.module.js';
export type { PetEvents, PetRow } from './pets.repository.js';
export { PetsService } from './pets.service.js';
