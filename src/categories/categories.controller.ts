import { Controller, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Answered, answerPage, answerWithEtag, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { publicAddress } from '../http/index.js';
import { type Attempt, created, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, MergePatchBody, PathId, StrictQuery } from '../validation/index.js';
import { CATEGORY_CHANGES, CHANGE_CATEGORY, CREATE_CATEGORY, GET_CATEGORY, LIST_CATEGORIES, NEW_CATEGORIES } from './categories.operations.js';
import { CategoriesService } from './categories.service.js';
import { CategoryChange, NewCategory } from './category.dto.js';
import { categoryNotFound } from './category-not-found.js';
import { ListCategoriesQuery } from './list-categories.query.js';

const CategoryId = () => PathId('categoryId', { description: "The category's identifier.", notFound: categoryNotFound, isAnyInt64: true });

@OperationGroup('Categories', 'Names for the categories of animals.')
@Controller('categories')
export class CategoriesController {
  private readonly address: string;

  constructor(
    private readonly categories: CategoriesService,
    private readonly idempotency: Idempotency,
    env: Env,
  ) {
    this.address = publicAddress(env, '/categories');
  }

  @Get()
  @Operation(LIST_CATEGORIES)
  @Revalidates('Link')
  async listCategories(@StrictQuery(ListCategoriesQuery) query: ListCategoriesQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answered> {
    const { categories, nextAfter } = await this.categories.list(query);
    return answerPage(reply, this.address, query, { json: JSON.stringify(categories), nextAfter });
  }

  @Post()
  @Operation(CREATE_CATEGORY)
  createCategory(@JsonBody(NewCategory, NEW_CATEGORIES) body: NewCategory, @CurrentAttempt() attempt: Attempt): Promise<string> {
    return this.idempotency.answer(attempt, async (manager) => created(this.address, await this.categories.createIn(manager, body)));
  }

  @Get(':categoryId')
  @Operation(GET_CATEGORY)
  @Revalidates()
  async getCategory(@CategoryId() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Answered> {
    return answerWithEtag(reply, JSON.stringify(await this.categories.get(id)));
  }

  @Patch(':categoryId')
  @Operation(CHANGE_CATEGORY)
  async changeCategory(
    @CategoryId() id: string,
    @MergePatchBody(CategoryChange, CATEGORY_CHANGES) change: CategoryChange,
    @IfMatch() precondition: Precondition,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return answerWithEtag(reply, JSON.stringify(await this.categories.change(id, change, precondition)));
  }
}
