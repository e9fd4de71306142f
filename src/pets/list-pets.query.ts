import { EnumParam, IdParam, IntegerParam } from '../validation/index.js';
import { PET_STATUS, type PetStatus } from './pet-status.js';

const DEFAULT_LIMIT = 20;

/** The query of listPets (specification, section 4.1). */
export class ListPetsQuery {
  @IntegerParam({ description: 'Maximum number of animals returned.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;

  @EnumParam({ description: 'Only animals with this status are returned.', ...PET_STATUS })
  status?: PetStatus;

  /** Decimal digits. */
  @IdParam({ description: 'Only animals that come after this identifier are returned: the last one of the page before.' })
  after?: string;
}
