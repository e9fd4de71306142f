import { Body, Controller, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  IfMatch,
  Precondition,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPage,
  sendWithEtag,
  publicAddress,
  Idempotent,
  PathId,
  Env,
  Operation,
  OperationGroup,
} from '../kernel.js';
import { CHANGE_CATEGORY, CREATE_CATEGORY, GET_CATEGORY, LIST_CATEGORIES } from './categories.operations.js';
import { CategoriesService, categoryNotFound } from './categories.service.js';
import { CategoryChange, ListCategoriesQuery, CategoryCreation } from './category.dto.js';

const CategoryId = () =>
  PathId('categoryId', { description: 'Identifier of the category.', notFound: categoryNotFound, isAnyInt64: true });

@OperationGroup('Categories', 'Names for the categories of pets.')
@Controller('categories')
export class CategoriesController {
  constructor(
    private readonly categories: CategoriesService,
    private readonly env: Env,
  ) {}

  @Get()
  @Operation(LIST_CATEGORIES)
  @Revalidates('Link')
  async listCategories(
    @Query() query: ListCategoriesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/categories'), query, await this.categories.list(query));
  }

  @Post()
  @Operation(CREATE_CATEGORY)
  @Idempotent()
  async createCategory(
    @Body() category: CategoryCreation,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendCreated(reply, publicAddress(this.env, '/categories'), await this.categories.create(category));
  }

  @Get(':categoryId')
  @Operation(GET_CATEGORY)
  @Revalidates()
  async getCategory(@CategoryId() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.categories.get(id)));
  }

  @Patch(':categoryId')
  @Operation(CHANGE_CATEGORY)
  async changeCategory(
    @CategoryId() id: string,
    @Body() change: CategoryChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.categories.change(id, change, precondition)));
  }
}
