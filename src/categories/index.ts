export { CategoriesModule } from './categories.module.js';
export { CategoryEntity, type CategoryEvents } from './category.entity.js';
