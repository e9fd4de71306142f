import { ApiProperty, ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { IdField, IdParam, type Int64, IntegerField, PageQuery, TextField } from 'petstore-service';

/** The body of createReview. */
@ApiSchema({ name: 'ReviewCreation' })
export class ReviewCreation {
  @IdField({ description: 'The pet.', example: 1 })
  petId!: Int64;

  @IntegerField({ description: 'From 1, the worst, to 5, the best.', example: 5, minimum: 1, maximum: 5 })
  rating!: number;

  @TextField({ description: 'The opinion.', example: 'Friendly.', maxLength: 500 })
  text!: string;
}

/** The body of changeReview. Without the option, `null` would pass for omitted. */
@ApiSchema({ name: 'ReviewChange' })
export class ReviewChange extends PartialType(OmitType(ReviewCreation, ['petId']), { skipNullProperties: false }) {}

/** A review in a response. */
@ApiSchema({ name: 'Review' })
export class ReviewResponse extends ReviewCreation {
  @ApiProperty({ type: 'integer', description: 'Assigned by the service.', example: 1 })
  id!: number;
}

/** The query of listReviews. */
export class ListReviewsQuery extends PageQuery {
  @IdParam({ description: 'Only reviews of this pet.' })
  petId?: string;
}
