import { Body, Controller, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Env, Idempotent, IfMatch, PathId, Precondition, Revalidates } from '../kernel.js';
import { created, Operation, OperationGroup, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { publicAddress, type ResponseBody, sendCreated, sendPage, sendWithEtag } from '../kernel.js';
import { CategoriesService, categoryExists, categoryNotFound } from './categories.service.js';
import { Category, CategoryChange, ListCategoriesQuery, CategoryCreation } from './category.dto.js';

const CategoryId = () =>
  PathId('categoryId', { description: 'Identifier of the category.', notFound: categoryNotFound, isAnyInt64: true });

const DOGS = { id: 1, name: 'Dogs' };
const CATS = { id: 2, name: 'Cats' };

@OperationGroup('Categories', 'Names for the categories of pets.')
@Controller('categories')
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesService,
    private readonly env: Env,
  ) {}

  @Get()
  @Operation({
    id: 'listCategories',
    summary: 'List categories',
    description:
      'Returns categories in ascending order of `id`. `Link` points to the next page (`rel="next"`). ' +
      'Identifiers that only pets use are not listed.',
    scope: 'categories:read',
    stability: 'beta',
    success: pageOf(Category, 'Categories', 'A page of categories.', {
      'Two categories': [DOGS, CATS],
      'No categories': [],
    }),
  })
  @Revalidates('Link')
  async listCategories(
    @Query() query: ListCategoriesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/categories'), query, await this.categories.list(query));
  }

  @Post()
  @Operation({
    id: 'createCategory',
    summary: 'Create a category',
    description:
      'Names an identifier that pets can use. Without `id`, the service assigns one that no category and no pet uses.',
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
  })
  @Idempotent()
  async createCategory(
    @Body() category: CategoryCreation,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendCreated(reply, publicAddress(this.env, '/categories'), await this.categories.create(category));
  }

  @Get(':categoryId')
  @Operation({
    id: 'getCategory',
    summary: 'Get a category',
    description: 'An unknown or malformed identifier returns 404.',
    scope: 'categories:read',
    stability: 'beta',
    success: resource(Category, 'The category.', { 'A category': DOGS }),
    errors: [categoryNotFound(UNKNOWN_ID)],
  })
  @Revalidates()
  async getCategory(@CategoryId() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.categories.get(id)));
  }

  @Patch(':categoryId')
  @Operation({
    id: 'changeCategory',
    summary: 'Rename a category',
    description: 'Accepts a JSON merge patch (RFC 7396).',
    scope: 'categories:write',
    stability: 'beta',
    bodyExamples: { 'A new name': { name: 'Hounds' } },
    success: resource(Category, 'The changed category.', { 'A category': { ...DOGS, name: 'Hounds' } }),
    errors: [categoryNotFound(UNKNOWN_ID)],
  })
  async changeCategory(
    @CategoryId() id: string,
    @Body() change: CategoryChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.categories.change(id, change, precondition)));
  }
}
