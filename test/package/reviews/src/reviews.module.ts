import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PetsModule } from 'petstore-service';
import { AverageRatingJob } from './average-rating.job.js';
import { Review } from './review.entity.js';
import { ReviewsController } from './reviews.controller.js';
import { ReviewsHealthIndicator } from './reviews.health-indicator.js';
import { ReviewsService } from './reviews.service.js';
import { SalesListener } from './sales.listener.js';

@Module({
  imports: [TypeOrmModule.forFeature([Review]), PetsModule, TerminusModule],
  controllers: [ReviewsController],
  providers: [ReviewsService, ReviewsHealthIndicator, AverageRatingJob, SalesListener],
})
export class ReviewsModule {}
