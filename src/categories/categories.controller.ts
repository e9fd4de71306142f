import { Controller, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { answerWithEtag, etagOf, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { nextPageLink, publicAddress } from '../http/index.js';
import { type Attempt, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, MergePatchBody, PathId, StrictQuery } from '../validation/index.js';
import { CATEGORY_CHANGES, CHANGE_CATEGORY, CREATE_CATEGORY, GET_CATEGORY, LIST_CATEGORIES, NEW_CATEGORIES } from './categories.operations.js';
import { CategoriesService } from './categories.service.js';
import { CategoryChange, NewCategory } from './category.dto.js';
import { categoryNotFound } from './category-not-found.js';
import { ListCategoriesQuery } from './list-categories.query.js';

/** JSON as it goes over the wire; nothing where the client has it already. */
type Answered = string | undefined;

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
    if (nextAfter !== undefined) reply.header('Link', nextPageLink(this.address, query, nextAfter));
    const json = JSON.stringify(categories);
    // What was the last page has the same categories when it gets a next one, but not the same Link.
    return answerWithEtag(reply, json, etagOf(`${json}${nextAfter ?? ''}`));
  }

  @Post()
  @Operation(CREATE_CATEGORY)
  createCategory(@JsonBody(NewCategory, NEW_CATEGORIES) body: NewCategory, @CurrentAttempt() attempt: Attempt): Promise<string> {
    return this.idempotency.answer(attempt, async (manager) => {
      const category = await this.categories.createIn(manager, body);
      const json = JSON.stringify(category);
      return { headers: { Location: `${this.address}/${JSON.stringify(category.id)}`, ETag: etagOf(json) }, body: json };
    });
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
