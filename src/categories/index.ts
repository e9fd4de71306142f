import { CategoryCountEntity, CategoryEntity } from './category.entity.js';

export { CategoriesModule } from './categories.module.js';
export { CategoriesService } from './categories.service.js';
export { applyCountDeltas, type PetCountChange, recountPets } from './category-counts.js';

export const CATEGORY_ENTITIES = [CategoryEntity, CategoryCountEntity];
