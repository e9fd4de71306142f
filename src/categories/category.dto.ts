import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  type ExactInt64,
  type Int64,
  Int64Field,
  Int64Param,
  LimitQuery,
  TextField,
  ValidatedOnce,
} from '../validation/index.js';

const NAME = { description: 'Name of the category.', example: 'Dogs', maxLength: 255 };

@ApiSchema({ name: 'NewCategory', description: 'A new category.' })
export class NewCategory {
  @TextField(NAME)
  name!: string;

  @Int64Field({
    description: 'Identifier that pets use as `categoryId`. If omitted, the service assigns a free one.',
    example: 3,
    optional: true,
  })
  id?: Int64;
}

/** The body of changeCategory: a JSON merge patch. */
@ApiSchema({
  name: 'CategoryChange',
  description: 'Fields to change. Omitted fields are kept.',
})
export class CategoryChange {
  @TextField({ ...NAME, optional: true })
  name?: string;
}

const COUNT = { type: 'integer', minimum: 0 } as const;

@ApiSchema({ name: 'PetCounts', description: 'Number of pets of the category, by status.' })
export class PetCounts {
  @ApiProperty({ ...COUNT, description: 'All pets.' })
  total!: number;

  @ApiProperty({ ...COUNT, description: 'Pets with the status `available`.' })
  available!: number;

  @ApiProperty({ ...COUNT, description: 'Pets with the status `pending`.' })
  pending!: number;

  @ApiProperty({ ...COUNT, description: 'Pets with the status `sold`.' })
  sold!: number;

  @ApiProperty({ ...COUNT, description: 'Pets without a status.' })
  none!: number;
}

@ApiSchema({ name: 'Category', description: 'A category with the number of its pets.' })
export class Category {
  @Int64Field({ description: 'Identifier, as in `categoryId` of a pet.', example: 3 })
  id!: ExactInt64;

  @TextField(NAME)
  name!: string;

  @ApiProperty({ type: PetCounts })
  pets!: PetCounts;
}

@ValidatedOnce()
export class ListCategoriesQuery extends LimitQuery {
  /** Decimal digits. */
  @Int64Param({
    description: 'Return only categories after this identifier, the last one of the previous page.',
  })
  after?: string;
}
