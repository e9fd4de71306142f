import type { Examples, OperationOptions } from '../openapi/index.js';
import { Animal } from './pet.dto.js';

/** Bodies for changePet that work as they stand. */
export const PET_CHANGES: Examples = { 'A new name': { name: 'Bello' }, 'A status': { status: 'pending' }, 'No status': { status: null } };

export const CHANGE_PET: OperationOptions = {
  id: 'changePet',
  summary: 'Change an animal',
  description:
    'The body is a JSON merge patch (RFC 7396): fields that are left out stay as they are, and a `status` of `null` is removed. ' +
    'A status can become any other, but for `sold`, which is final. While an open order holds the animal, its status can not be changed.',
  scope: 'pets:write',
  stability: 'beta',
  success: {
    status: 200,
    description: 'The animal as it is now.',
    type: Animal,
    headers: ['ETag'],
    examples: { 'With a status': { id: 1, name: 'Bello', categoryId: 1, status: 'pending' }, 'Without a status': { id: 1, name: 'Bello', categoryId: 1 } },
  },
  errors: ['pet_not_found', 'invalid_status_transition', 'pet_in_order'],
};

export const REMOVE_PET: OperationOptions = {
  id: 'removePet',
  summary: 'Remove an animal',
  description: 'No other animal will ever have its identifier. While an open order holds the animal, it can not be removed.',
  scope: 'pets:write',
  stability: 'beta',
  success: { status: 204, description: 'The animal was removed.' },
  errors: ['pet_not_found', 'pet_in_order'],
};
