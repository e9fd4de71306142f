import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Precondition } from '../conditional/index.js';
import { cutPage, Database, lockUntilCommit } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import { int64Json } from '../validation/index.js';
import type { Category, CategoryChange, NewCategory } from './category.dto.js';
import { categoryNotFound } from './category-not-found.js';
import { type CategoryRow, insertCategory, lockCategory, selectCategory, selectPage, updateName } from './category-sql.js';
import { reserveFreeId } from './free-id.js';
import type { ListCategoriesQuery } from './list-categories.query.js';

/** Keeps the names of categories. Pets may use identifiers that no category has. */
@Injectable()
export class CategoriesService {
  constructor(private readonly database: Database) {}

  /** A page of the categories; `nextAfter` (decimal digits) is the identifier after which the next one begins, if there is one. */
  async list(query: ListCategoriesQuery): Promise<{ categories: Category[]; nextAfter: string | undefined }> {
    const rows = await this.database.read((manager) => selectPage(manager, query));
    const { page, nextAfter } = cutPage(rows, query.limit);
    return { categories: page.map(toCategory), nextAfter };
  }

  /**
   * @param categoryId decimal digits
   * @throws (rejects) ApiError `category_not_found`
   */
  get(categoryId: string): Promise<Category> {
    return this.database.read(async (manager) => toCategory(found(categoryId, await selectCategory(manager, categoryId))));
  }

  /**
   * Adds a category within a transaction of the caller's.
   * @throws (rejects) ApiError `category_exists`
   */
  async createIn(manager: EntityManager, { id, name }: NewCategory): Promise<Category> {
    await lockUntilCommit(manager, 'categories');
    const categoryId = id === undefined ? await reserveFreeId(manager) : String(id);
    if (!(await insertCategory(manager, categoryId, name))) {
      throw new ApiError('category_exists', `There is a category with the identifier ${categoryId} already.`);
    }
    return toCategory(found(categoryId, await selectCategory(manager, categoryId)));
  }

  /**
   * Changes a category as a JSON merge patch says.
   * @param categoryId decimal digits
   * @throws (rejects) ApiError `category_not_found` or `precondition_failed`
   */
  change(categoryId: string, { name }: CategoryChange, precondition: Precondition): Promise<Category> {
    return this.database.write(async (manager) => {
      const before = found(categoryId, await lockCategory(manager, categoryId));
      precondition.check(JSON.stringify(toCategory(before)));
      if (name === undefined || name === before.name) return toCategory(before);
      await updateName(manager, categoryId, name);
      return toCategory({ ...before, name });
    });
  }
}

function found(categoryId: string, row: CategoryRow | undefined): CategoryRow {
  if (row === undefined) throw categoryNotFound(categoryId);
  return row;
}

function toCategory({ id, name, available, pending, sold, none }: CategoryRow): Category {
  return { id: int64Json(id), name, pets: { total: available + pending + sold + none, available, pending, sold, none } };
}
