import { ApiSchema } from '@nestjs/swagger';
import { EnumField, type ExactInt64, IdField, type Int64, Int64Field, TextField } from '../kernel.js';
import { EnumParam, IdListParam, IdParam, Int64Param, LimitQuery, ValidatedOnce } from '../kernel.js';
import { PET_STATUSES, type PetStatus } from './pet.entity.js';

const PET_STATUS = { name: 'PetStatus', values: PET_STATUSES, meaning: 'Availability of a pet.' } as const;

const NAME = { description: 'Name of the pet.', example: 'Bella', maxLength: 255 };
const CATEGORY_ID = { description: 'Identifier of the category, any int64. The category need not exist.', example: 3 };

/** The fields of a pet; requests and responses have different types for an int64. */
export abstract class PetFields<Integer> {
  @TextField(NAME)
  name!: string;

  @Int64Field(CATEGORY_ID)
  categoryId!: Integer;

  @EnumField({
    description: 'Availability. Absent if it was omitted; there is no default.',
    example: 'available',
    optional: true,
    ...PET_STATUS,
  })
  status?: PetStatus;
}

/** The body of createPet (NewPet in the document). */
@ApiSchema({ name: 'NewPet', description: 'A new pet.' })
export class NewPet extends PetFields<Int64> {}

@ApiSchema({ name: 'PetChange', description: 'Fields to change. Omitted fields are kept.' })
export class PetChange {
  @TextField({ ...NAME, optional: true })
  name?: string;

  @Int64Field({ ...CATEGORY_ID, optional: true })
  categoryId?: Int64;

  @EnumField({
    description: 'Availability. `null` removes it.',
    example: 'pending',
    optional: true,
    nullable: true,
    ...PET_STATUS,
  })
  status?: PetStatus | null;
}

/** A pet in responses (Animal in the document). */
@ApiSchema({ name: 'Animal', description: 'A pet of the catalogue.' })
export class Animal extends PetFields<ExactInt64> {
  @IdField({ description: 'Assigned by the service. Never reused.', example: 7 })
  id!: number;
}

@ValidatedOnce()
export class ListPetsQuery extends LimitQuery {
  @EnumParam({ description: 'Return only pets with this status.', ...PET_STATUS })
  status?: PetStatus;

  /** Decimal digits. */
  @Int64Param({ description: 'Return only pets of this category.' })
  categoryId?: string;

  /** Decimal digits, separated by commas. */
  @IdListParam({
    description: 'Return only pets with these identifiers, separated by commas or repeated. Unknown ones are ignored.',
    maxItems: 100,
  })
  ids?: string;

  /** Decimal digits. */
  @IdParam({ description: 'Return only pets after this identifier, the last one of the previous page.' })
  after?: string;
}
