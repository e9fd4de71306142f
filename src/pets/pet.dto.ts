import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, type ExactInt64, type Int64, Int64Field, TextField } from '../validation/index.js';
import { PET_STATUS, type PetStatus } from './pet-status.js';

/** Most Unicode code points in a name. */
const NAME_MAX_LENGTH = 255;

const NAME = { description: "The animal's name.", example: 'Bella', maxLength: NAME_MAX_LENGTH };
const CATEGORY_ID = { description: 'Identifier of the category the animal belongs to.', example: 3 };

/** What a client says of an animal, with an int64 as it is written in the one direction or the other. */
abstract class PetFields<Integer> {
  @TextField(NAME)
  name!: string;

  @Int64Field(CATEGORY_ID)
  categoryId!: Integer;

  @EnumField({
    description: 'Availability; stays absent where it is not given.',
    example: 'available',
    optional: true,
    ...PET_STATUS,
  })
  status?: PetStatus;
}

/** The body of createPet (specification, section 2: NewPet). */
@ApiSchema({ name: 'NewPet', description: 'An animal as a client adds it.' })
export class NewPet extends PetFields<Int64> {}

/** The body of changePet: a JSON merge patch. */
@ApiSchema({ name: 'PetChange', description: 'What is to be another about an animal; what is left out stays as it is.' })
export class PetChange {
  @TextField({ ...NAME, optional: true })
  name?: string;

  @Int64Field({ ...CATEGORY_ID, optional: true })
  categoryId?: Int64;

  @EnumField({ description: 'Availability; `null` removes it.', example: 'pending', optional: true, nullable: true, ...PET_STATUS })
  status?: PetStatus | null;
}

/** An animal as it is answered (specification, section 2: Animal). */
@ApiSchema({ name: 'Animal', description: 'An animal of the catalogue.' })
export class Animal extends PetFields<ExactInt64> {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service on creation.', example: 7 })
  id!: number;
}
