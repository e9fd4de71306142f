import { CategoryCountEntity } from './category-count.entity.js';
import { CategoryEntity } from './category.entity.js';

export { CategoriesModule } from './categories.module.js';
export { CategoriesService } from './categories.service.js';
export { type CountChange, countPets } from './count-pets.js';

/** What categories keep in the database. */
export const CATEGORY_ENTITIES = [CategoryEntity, CategoryCountEntity];
