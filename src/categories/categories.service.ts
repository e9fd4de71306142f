import { Injectable } from '@nestjs/common';
import type { Page, Precondition } from '../kernel.js';
import { Database, DomainError, Events, int64Json, notFound, orFail, readPage } from '../kernel.js';
import { CategoriesRepository } from './categories.repository.js';
import { Category, type CategoryChange, type ListCategoriesQuery, type CategoryCreation } from './category.dto.js';
import { CategoryEntity } from './category.entity.js';

/** The names of categories. Pets can use identifiers that no category has. Identifiers are decimal digits. */
@Injectable()
export class CategoriesService {
  constructor(
    private readonly database: Database,
    private readonly categories: CategoriesRepository,
    private readonly events: Events,
  ) {
    events.declare({
      types: { 'category.created': 'A category was created.', 'category.changed': 'A category was renamed.' },
      scope: 'categories:read',
      subject: ({ id }) => `category:${id}`,
      data: toCategory,
      schema: Category,
      example: { subject: 'category:3', data: { id: 3, name: 'Dogs' } },
    });
  }

  async list(query: ListCategoriesQuery): Promise<Page<Category>> {
    const categories = this.database.manager.createQueryBuilder(CategoryEntity, 'category');
    const page = await readPage(categories, { id: 'ASC' }, query);
    return { ...page, items: page.items.map(toCategory) };
  }

  /** @throws (rejects) DomainError `category_not_found` */
  async get(categoryId: string): Promise<Category> {
    const row = await this.database.manager.findOneBy(CategoryEntity, { id: categoryId });
    return toCategory(orFail(row, categoryNotFound, categoryId));
  }

  /** @throws (rejects) DomainError `category_exists` */
  create({ id, name }: CategoryCreation): Promise<Category> {
    return this.database.write(async (manager) => {
      const categoryId = await this.categories.insert(manager, name, id === undefined ? undefined : String(id));
      if (categoryId === undefined) throw categoryExists(String(id));
      const after = { id: categoryId, name };
      await this.events.raise(manager, 'category.created', () => ({ before: undefined, after }));
      return toCategory(after);
    });
  }

  /**
   * Applies a JSON merge patch to a category.
   * @throws (rejects) DomainError `category_not_found` or `precondition_failed`
   */
  change(categoryId: string, { name }: CategoryChange, precondition: Precondition): Promise<Category> {
    return this.database.write(async (manager) => {
      const locked = orFail(await this.categories.lock(manager, categoryId), categoryNotFound, categoryId);
      const before = { ...locked, id: categoryId };
      precondition.check(JSON.stringify(toCategory(before)));
      if (name === undefined || name === before.name) return toCategory(before);
      await manager.update(CategoryEntity, { id: categoryId }, { name });
      const after = { ...before, name };
      await this.events.raise(manager, 'category.changed', () => ({ before, after }));
      return toCategory(after);
    });
  }
}

export function categoryExists(id: string): DomainError {
  return new DomainError('category_exists', `A category with the identifier ${id} already exists.`);
}

export function categoryNotFound(categoryId?: string): DomainError {
  return notFound('category_not_found', 'There is no category', categoryId);
}

function toCategory({ id, name }: CategoryEntity): Category {
  return { id: int64Json(String(id)), name };
}
