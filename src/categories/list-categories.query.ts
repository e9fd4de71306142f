import { Int64Param, IntegerParam } from '../validation/index.js';

const DEFAULT_LIMIT = 20;

/** The query of listCategories. */
export class ListCategoriesQuery {
  @IntegerParam({ description: 'Maximum number of categories returned.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;

  /** Decimal digits. */
  @Int64Param({ description: 'Only categories that come after this identifier are returned: the last one of the page before.' })
  after?: string;
}
