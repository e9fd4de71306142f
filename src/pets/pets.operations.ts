import type { Deprecation } from '../lifecycle/index.js';
import type { Examples, OperationOptions } from '../openapi/index.js';
import { Animal } from './pet.dto.js';

const BELLA = { id: 1, name: 'Bella', categoryId: 1, status: 'available' };
const MILO = { id: 2, name: 'Milo', categoryId: 2, status: 'available' };
const SIMBA = { name: 'Simba', categoryId: 3, status: 'available' };
const COCO = { name: 'Coco', categoryId: 1 };

/** Bodies for createPet that work as they stand. */
export const NEW_PETS: Examples = { 'With a status': SIMBA, 'Without a status': COCO };

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
    listName: 'Pets',
    headers: ['Link', 'ETag'],
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
    headers: ['Location', 'ETag'],
    examples: { 'With a status': { id: 6, ...SIMBA }, 'Without a status': { id: 7, ...COCO } },
  },
  errors: [],
};

export const GET_PET: OperationOptions = {
  id: 'getPet',
  summary: 'Get an animal',
  description: 'An identifier that no animal has, or that none could have, is 404.',
  scope: 'pets:read',
  stability: 'stable',
  success: { status: 200, description: 'The animal.', type: Animal, headers: ['ETag'], examples: { 'An animal': BELLA } },
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
