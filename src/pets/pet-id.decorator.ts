import { PathId } from '../validation/index.js';
import { petNotFound } from './pet-not-found.js';

/** Hands a handler the identifier of a pet in the path. */
export const PetId = () => PathId('petId', { description: "The animal's identifier.", notFound: petNotFound });
