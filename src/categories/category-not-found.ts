import { ApiError } from '../errors/index.js';

export function categoryNotFound(categoryId: string): ApiError {
  return new ApiError('category_not_found', `There is no category with the identifier ${JSON.stringify(categoryId.slice(0, 40))}.`);
}
