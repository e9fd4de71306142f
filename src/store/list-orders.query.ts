import { EnumParam, IdParam, IntegerParam } from '../validation/index.js';
import { ORDER_STATUS, type OrderStatus } from './order-status.js';

const DEFAULT_LIMIT = 20;

/** The query of listOrders. */
export class ListOrdersQuery {
  @IntegerParam({ description: 'Maximum number of orders returned.', minimum: 1, maximum: 100, default: DEFAULT_LIMIT })
  limit = DEFAULT_LIMIT;

  @EnumParam({ description: 'Only orders with this status are returned.', ...ORDER_STATUS })
  status?: OrderStatus;

  /** Decimal digits. */
  @IdParam({ description: 'Only orders that come after this identifier are returned: the last one of the page before.' })
  after?: string;
}
