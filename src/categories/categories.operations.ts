import type { Examples, OperationOptions } from '../openapi/index.js';
import { Category } from './category.dto.js';

const DOGS = { id: 1, name: 'Dogs', pets: { total: 2, available: 1, pending: 1, sold: 0, none: 0 } };
const CATS = { id: 2, name: 'Cats', pets: { total: 2, available: 1, pending: 0, sold: 0, none: 1 } };
const NO_PETS = { total: 0, available: 0, pending: 0, sold: 0, none: 0 };

/** Bodies for createCategory that work as they stand. */
export const NEW_CATEGORIES: Examples = { 'For an identifier that animals use': { name: 'Dogs', id: 1 }, 'With a new identifier': { name: 'Birds' } };

/** Bodies for changeCategory that work as they stand. */
export const CATEGORY_CHANGES: Examples = { 'A new name': { name: 'Hounds' } };

export const LIST_CATEGORIES: OperationOptions = {
  id: 'listCategories',
  summary: 'List categories',
  description:
    'Returns categories in ascending order of their identifiers, page by page: while a next page exists, `Link` names it as ' +
    '`rel="next"`. Identifiers that animals use without there being a category are not listed.',
  scope: 'categories:read',
  stability: 'beta',
  success: {
    status: 200,
    description: 'A page of categories.',
    type: [Category],
    listName: 'Categories',
    headers: ['Link', 'ETag'],
    examples: { 'Two categories': [DOGS, CATS], 'No categories': [] },
  },
  errors: [],
};

export const CREATE_CATEGORY: OperationOptions = {
  id: 'createCategory',
  summary: 'Add a category',
  description: 'Names an identifier that animals use, or are to use. Without one in the body, the service assigns one that no category has and no animal uses.',
  scope: 'categories:write',
  stability: 'beta',
  success: {
    status: 201,
    description: 'The category was added.',
    type: Category,
    headers: ['Location', 'ETag'],
    examples: { 'For an identifier that animals use': DOGS, 'With a new identifier': { id: 4, name: 'Birds', pets: NO_PETS } },
  },
  errors: ['category_exists'],
};

export const GET_CATEGORY: OperationOptions = {
  id: 'getCategory',
  summary: 'Get a category',
  description: 'An identifier that no category has, or that none could have, is 404.',
  scope: 'categories:read',
  stability: 'beta',
  success: { status: 200, description: 'The category.', type: Category, headers: ['ETag'], examples: { 'A category': DOGS } },
  errors: ['category_not_found'],
};

export const CHANGE_CATEGORY: OperationOptions = {
  id: 'changeCategory',
  summary: 'Rename a category',
  description: 'The body is a JSON merge patch (RFC 7396).',
  scope: 'categories:write',
  stability: 'beta',
  success: {
    status: 200,
    description: 'The category as it is now.',
    type: Category,
    headers: ['ETag'],
    examples: { 'A category': { ...DOGS, name: 'Hounds' } },
  },
  errors: ['category_not_found'],
};
