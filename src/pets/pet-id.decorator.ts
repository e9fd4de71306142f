import { PathId } from '../http/index.js';
import { petNotFound } from './pet-errors.js';

/** Injects the identifier of a pet in the path, the parameter `petId`, as decimal digits, and documents it. */
export function PetId(): ParameterDecorator {
  return PathId('petId', { description: 'Identifier of the pet.', notFound: petNotFound });
}
