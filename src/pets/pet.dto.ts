import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, type ExactInt64, type Int64, Int64Field, TextField } from '../validation/index.js';
import { PET_STATUS, type PetStatus } from './pet-status.js';

/** Most Unicode code points in a name. */
const NAME_MAX_LENGTH = 255;

/** What a client says of an animal, with an int64 as it is written in the one direction or the other. */
abstract class PetFields<Integer> {
  @TextField({ description: "The animal's name.", example: 'Bella', maxLength: NAME_MAX_LENGTH })
  name!: string;

  @Int64Field({ description: 'Identifier of the category the animal belongs to.', example: 3 })
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

/** An animal as it is answered (specification, section 2: Animal). */
@ApiSchema({ name: 'Animal', description: 'An animal of the catalogue.' })
export class Animal extends PetFields<ExactInt64> {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service on creation.', example: 7 })
  id!: number;
}
