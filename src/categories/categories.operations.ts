import { created, type OperationOptions, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { categoryExists, categoryNotFound } from './categories.service.js';
import { Category } from './category.dto.js';

const DOGS = { id: 1, name: 'Dogs' };
const CATS = { id: 2, name: 'Cats' };

export const LIST_CATEGORIES: OperationOptions = {
  id: 'listCategories',
  summary: 'List categories',
  description:
    'Returns categories in ascending order of `id`. If there is a next page, `Link` has its address as `rel="next"`. ' +
    'Identifiers that only pets use are not listed.',
  scope: 'categories:read',
  stability: 'beta',
  success: pageOf(Category, 'Categories', 'A page of categories.', {
    'Two categories': [DOGS, CATS],
    'No categories': [],
  }),
};

export const CREATE_CATEGORY: OperationOptions = {
  id: 'createCategory',
  summary: 'Add a category',
  description:
    'Gives a name to an identifier that pets can use. Without `id`, the service assigns one that no category and no pet uses.',
  scope: 'categories:write',
  stability: 'beta',
  bodyExamples: {
    'With a new identifier': { name: 'Birds' },
    'With an identifier that pets use': { name: 'Dogs', id: 1 },
  },
  success: created(Category, 'The new category.', {
    'With a new identifier': { id: 4, name: 'Birds' },
    'With an identifier that pets use': DOGS,
  }),
  errors: [categoryExists('1')],
};

export const GET_CATEGORY: OperationOptions = {
  id: 'getCategory',
  summary: 'Get a category',
  description: 'An unknown or malformed identifier is 404.',
  scope: 'categories:read',
  stability: 'beta',
  success: resource(Category, 'The category.', { 'A category': DOGS }),
  errors: [categoryNotFound(UNKNOWN_ID)],
};

export const CHANGE_CATEGORY: OperationOptions = {
  id: 'changeCategory',
  summary: 'Rename a category',
  description: 'Accepts a JSON merge patch (RFC 7396).',
  scope: 'categories:write',
  stability: 'beta',
  bodyExamples: { 'A new name': { name: 'Hounds' } },
  success: resource(Category, 'The changed category.', { 'A category': { ...DOGS, name: 'Hounds' } }),
  errors: [categoryNotFound(UNKNOWN_ID)],
};
