import { ApiError } from '../errors/index.js';

export function orderNotFound(orderId: string): ApiError {
  return new ApiError('order_not_found', `The account has no order with the identifier ${JSON.stringify(orderId.slice(0, 40))}.`);
}
