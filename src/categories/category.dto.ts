import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type ExactInt64, type Int64, Int64Field, TextField } from '../validation/index.js';

const NAME = { description: "The category's name.", example: 'Dogs', maxLength: 255 };

/** The body of createCategory. */
@ApiSchema({ name: 'NewCategory', description: 'A category as a client adds it.' })
export class NewCategory {
  @TextField(NAME)
  name!: string;

  @Int64Field({ description: 'The identifier that animals use for it already; without it, the service assigns a free one.', example: 3, optional: true })
  id?: Int64;
}

/** The body of changeCategory: a JSON merge patch. */
@ApiSchema({ name: 'CategoryChange', description: 'What is to be another about a category; what is left out stays as it is.' })
export class CategoryChange {
  @TextField({ ...NAME, optional: true })
  name?: string;
}

const COUNT = { type: 'integer', minimum: 0 } as const;

/** How many animals a category has. */
@ApiSchema({ name: 'PetCounts', description: 'How many animals name the category, of each status.' })
export class PetCounts {
  @ApiProperty({ ...COUNT, description: 'All of them.', example: 6 })
  total!: number;

  @ApiProperty({ ...COUNT, description: 'Those with the status `available`.', example: 3 })
  available!: number;

  @ApiProperty({ ...COUNT, description: 'Those with the status `pending`.', example: 1 })
  pending!: number;

  @ApiProperty({ ...COUNT, description: 'Those with the status `sold`.', example: 2 })
  sold!: number;

  @ApiProperty({ ...COUNT, description: 'Those without a status.', example: 0 })
  none!: number;
}

/** A category as it is answered. */
@ApiSchema({ name: 'Category', description: 'A category, and how many animals it has.' })
export class Category {
  @Int64Field({ description: "Identifier, as in an animal's `categoryId`.", example: 3 })
  id!: ExactInt64;

  @TextField(NAME)
  name!: string;

  @ApiProperty({ type: PetCounts })
  pets!: PetCounts;
}
