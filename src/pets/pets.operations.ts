import type { Deprecation } from '../lifecycle/index.js';
import type { OperationOptions } from '../openapi/index.js';
import { Animal } from './pet.dto.js';

const BELLA = { id: 1, name: 'Bella', categoryId: 3, status: 'available' };
const MILO = { id: 2, name: 'Milo', categoryId: 3, status: 'available' };

export const LIST_PETS: OperationOptions = {
  id: 'listPets',
  summary: 'List animals',
  description:
    'Returns animals in ascending order of their identifiers, page by page: while a next page exists, `Link` names it as ' +
    '`rel="next"`. An animal without a status matches no status filter.',
  scope: 'pets:read',
  stability: 'stable',
  success: {
    status: 200,
    description: 'A page of animals.',
    type: [Animal],
    headers: ['Link'],
    examples: { 'Two animals': [BELLA, MILO], 'No animal matches': [] },
  },
  errors: [],
};

export const CREATE_PET: OperationOptions = {
  id: 'createPet',
  summary: 'Add an animal',
  description: 'The body must be JSON of at most 16 KiB in UTF-8. A status that is left out stays absent.',
  scope: 'pets:write',
  stability: 'stable',
  success: {
    status: 201,
    description: 'The animal was added; the body carries its identifier.',
    type: Animal,
    headers: ['Location'],
    examples: { 'The new animal': { ...BELLA, id: 7 } },
  },
  errors: ['malformed_json', 'payload_too_large', 'unsupported_media_type', 'request_timeout'],
};

export const GET_PET: OperationOptions = {
  id: 'getPet',
  summary: 'Get an animal',
  scope: 'pets:read',
  stability: 'stable',
  success: { status: 200, description: 'The animal.', type: Animal, examples: { 'An animal': BELLA } },
  errors: ['pet_not_found', 'operation_removed'],
};

/** Specification, section 4.3. */
export const GET_PET_DEPRECATION: Deprecation = {
  since: '2026-11-21',
  sunset: '2030-12-05',
  successor: '/v1/pets',
  advice: 'Use GET /v1/pets with the status filter.',
  documentation: '/docs#/Pets/getPet',
};
