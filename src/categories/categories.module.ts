import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/index.js';
import { CategoriesController } from './categories.controller.js';
import { CategoriesService } from './categories.service.js';

/** Categories: names for the identifiers that pets use, and how many pets each has. */
@Module({ imports: [IdempotencyModule], controllers: [CategoriesController], providers: [CategoriesService] })
export class CategoriesModule {}
