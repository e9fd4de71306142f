export { CategoriesModule } from './categories.module.js';
export { CategoryEntity } from './category.entity.js';
