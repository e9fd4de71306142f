import { Injectable } from '@nestjs/common';
import { type Precondition, int64Json } from '../http/index.js';
import { cutPage, Database, type Page } from '../database/index.js';
import { DomainError, notFound } from '../platform/index.js';
import { CategoriesRepository, type CategoryRow } from './categories.repository.js';
import type { Category, CategoryChange, ListCategoriesQuery, NewCategory } from './category.dto.js';

/** The names of categories. Pets can use identifiers that no category has. Identifiers are decimal digits. */
@Injectable()
export class CategoriesService {
  constructor(
    private readonly database: Database,
    private readonly categories: CategoriesRepository,
  ) {}

  async list(query: ListCategoriesQuery): Promise<Page<Category>> {
    const rows = await this.database.read((manager) => this.categories.page(manager, query));
    const { items, nextAfter } = cutPage(rows, query.limit);
    return { items: items.map(toCategory), nextAfter };
  }

  /** @throws (rejects) DomainError `category_not_found` */
  async get(categoryId: string): Promise<Category> {
    const row = await this.database.read((manager) => this.categories.find(manager, categoryId));
    return toCategory(found(categoryId, row));
  }

  /** @throws (rejects) DomainError `category_exists` */
  create({ id, name }: NewCategory): Promise<Category> {
    return this.database.write(async (manager) => {
      const categoryId = await this.categories.insert(manager, name, id === undefined ? undefined : String(id));
      if (categoryId === undefined) throw categoryExists(String(id));
      return toCategory({ id: categoryId, name });
    });
  }

  /**
   * Applies a JSON merge patch to a category.
   * @throws (rejects) DomainError `category_not_found` or `precondition_failed`
   */
  change(categoryId: string, { name }: CategoryChange, precondition: Precondition): Promise<Category> {
    return this.database.write(async (manager) => {
      const before = found(categoryId, await this.categories.lock(manager, categoryId));
      precondition.check(JSON.stringify(toCategory(before)));
      if (name === undefined || name === before.name) return toCategory(before);
      await this.categories.rename(manager, categoryId, name);
      return toCategory({ ...before, name });
    });
  }
}

export function categoryExists(id: string): DomainError {
  return new DomainError('category_exists', `A category with the identifier ${id} already exists.`);
}

export function categoryNotFound(categoryId?: string): DomainError {
  return notFound('category_not_found', 'There is no category', categoryId);
}

function found(categoryId: string, row: CategoryRow | undefined): CategoryRow {
  if (row === undefined) throw categoryNotFound(categoryId);
  return row;
}

function toCategory({ id, name }: CategoryRow): Category {
  return { id: int64Json(id), name };
}
