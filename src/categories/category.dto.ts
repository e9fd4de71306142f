import { ApiSchema } from '@nestjs/swagger';
import { type ExactInt64, type Int64, Int64Field, Int64Param, LimitQuery, TextField } from '../kernel.js';

const NAME = { description: 'Name of the category.', example: 'Dogs', maxLength: 255 };

@ApiSchema({ name: 'CategoryCreation', description: 'A new category.' })
export class CategoryCreation {
  @TextField(NAME)
  name!: string;

  @Int64Field({
    description: 'Identifier that pets use as `categoryId`. If omitted, the service assigns a free one.',
    example: 3,
    optional: true,
  })
  id?: Int64;
}

@ApiSchema({ name: 'CategoryChange', description: 'Fields to change. Omitted fields are kept.' })
export class CategoryChange {
  @TextField({ ...NAME, optional: true })
  name?: string;
}

@ApiSchema({ name: 'Category', description: 'A name for an identifier that pets use.' })
export class Category {
  @Int64Field({ description: 'Identifier, as in `categoryId` of a pet.', example: 3 })
  id!: ExactInt64;

  @TextField(NAME)
  name!: string;
}

export class ListCategoriesQuery extends LimitQuery {
  /** Decimal digits. */
  @Int64Param({ description: 'Return only categories after this identifier, the last one of the previous page.' })
  after?: string;
}
