import { ApiProperty } from '@nestjs/swagger';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** As a table, and in responses and events. */
@Entity({ name: 'vet_visits' })
export class VetVisit {
  @ApiProperty({ type: 'integer', description: 'Assigned by the service.', example: 1 })
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @ApiProperty({ type: String, description: 'The name.', example: 'First' })
  @Column({ type: 'text' })
  name!: string;
}
