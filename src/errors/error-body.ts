import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every error (specification, section 2: Error). */
@ApiSchema({ name: 'Error', description: 'The body of every error response.' })
export class ErrorBody {
  @ApiProperty({ type: String, description: 'Machine-readable error code. New codes may be added.', example: 'validation_failed' })
  code!: string;

  @ApiProperty({ type: String, description: 'Human-readable description.', example: 'limit must be an integer from 1 to 100' })
  message!: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status code.', example: 400 })
  status!: number;
}
