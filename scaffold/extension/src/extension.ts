import type { Extension } from 'petstore-service';
import { CreateVetVisits1795305600000 } from './migrations/1795305600000-create-vet-visits.js';
import { VetVisit } from './vet-visit.entity.js';
import { VetVisitsModule } from './vet-visits.module.js';

export const VET_VISITS: Extension = {
  module: VetVisitsModule,
  entities: [VetVisit],
  migrations: [CreateVetVisits1795305600000],
};
