import {
  type Deprecation,
  operationRemoved,
  created,
  type OperationOptions,
  pageOf,
  resource,
  UNKNOWN_ID,
} from '../kernel.js';
import { Animal } from './pet.dto.js';
import { petInOrder, petNotFound, petReferredTo, petSold } from './pet-errors.js';

const BELLA = { id: 1, name: 'Bella', categoryId: 1, status: 'available' };
const MILO = { id: 2, name: 'Milo', categoryId: 2, status: 'available' };
const SIMBA = { name: 'Simba', categoryId: 3, status: 'available' };
const COCO = { name: 'Coco', categoryId: 1 };

/** Specification, section 4.3. */
export const GET_PET_DEPRECATION: Deprecation = {
  since: '2026-11-21',
  sunset: '2030-12-05',
  successor: '/v1/pets?ids={petId}',
  advice: 'Use GET /v1/pets: with ids, such as ?ids=1, for one pet and its ETag, or with the status filter.',
  documentation: '/docs#/Pets/getPet',
};

export const LIST_PETS: OperationOptions = {
  id: 'listPets',
  summary: 'List pets',
  description:
    'Returns pets in ascending order of `id`. If there is a next page, `Link` has its address as `rel="next"`. ' +
    'A pet must match all given filters. A pet without a status matches no status filter. With one identifier in `ids`, ' +
    '`ETag` is the one that `If-Match` needs.',
  scope: 'pets:read',
  stability: 'stable',
  success: pageOf(Animal, 'Pets', 'A page of pets.', { 'Two pets': [BELLA, MILO], 'No matching pet': [] }),
};

export const CREATE_PET: OperationOptions = {
  id: 'createPet',
  summary: 'Create a pet',
  description: 'The body is JSON in UTF-8 of at most 16 KiB. An omitted `status` stays absent.',
  scope: 'pets:write',
  stability: 'stable',
  bodyExamples: { 'With a status': SIMBA, 'Without a status': COCO },
  success: created(Animal, 'The new pet with its `id`.', {
    'With a status': { id: 6, ...SIMBA },
    'Without a status': { id: 7, ...COCO },
  }),
};

export const GET_PET: OperationOptions = {
  id: 'getPet',
  summary: 'Get a pet',
  description: 'An unknown or malformed identifier is 404.',
  scope: 'pets:read',
  stability: 'stable',
  success: resource(Animal, 'The pet.', { 'A pet': BELLA }),
  errors: [petNotFound(UNKNOWN_ID), operationRemoved(GET_PET_DEPRECATION)],
};

export const CHANGE_PET: OperationOptions = {
  id: 'changePet',
  summary: 'Change a pet',
  description:
    'Accepts a JSON merge patch (RFC 7396): omitted fields are kept, and `null` removes the `status`. `sold` is final; every other ' +
    'transition is allowed. While an open order reserves the pet, its status cannot change.',
  scope: 'pets:write',
  stability: 'beta',
  bodyExamples: { 'A new name': { name: 'Bello' }, 'A status': { status: 'pending' }, 'No status': { status: null } },
  success: resource(Animal, 'The changed pet.', {
    'With a status': { id: 1, name: 'Bello', categoryId: 1, status: 'pending' },
    'Without a status': { id: 1, name: 'Bello', categoryId: 1 },
  }),
  errors: [petNotFound(UNKNOWN_ID), petSold(), petInOrder('its status cannot change')],
};

export const REMOVE_PET: OperationOptions = {
  id: 'removePet',
  summary: 'Remove a pet',
  description:
    'Identifiers are never reused. While an open order reserves the pet, or other records refer to it, it cannot be removed.',
  scope: 'pets:write',
  stability: 'beta',
  success: { status: 204, description: 'The pet was removed.' },
  errors: [petNotFound(UNKNOWN_ID), petInOrder('it cannot be removed'), petReferredTo()],
};
