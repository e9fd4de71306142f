import { ApiError } from '../errors/index.js';

export function petNotFound(petId: string): ApiError {
  return new ApiError('pet_not_found', `There is no pet with the identifier ${JSON.stringify(petId.slice(0, 40))}.`);
}
