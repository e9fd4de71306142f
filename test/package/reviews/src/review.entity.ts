import { columnTypes } from 'petstore-service';
import { Column, Entity, Index, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner } from 'typeorm';

@Entity({ name: 'reviews' })
@Index('reviews_rating', ['rating', 'id'])
@Index('reviews_account_pet', ['accountId', 'petId'], { unique: true })
export class Review {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'integer', name: 'account_id' })
  accountId!: number;

  @Column({ type: 'integer', name: 'pet_id' })
  petId!: number;

  @Column({ type: 'integer' })
  rating!: number;

  @Column({ type: 'text' })
  text!: string;
}

export class CreateReviews1796083200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, int64, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "reviews" (
        "id" ${id},
        "account_id" ${int64} NOT NULL,
        "pet_id" ${int64} NOT NULL,
        "rating" ${int64} NOT NULL,
        "text" TEXT NOT NULL
      ) ${tableEnd}`);
    await runner.query('CREATE INDEX "reviews_rating" ON "reviews" ("rating", "id")');
    await runner.query('CREATE UNIQUE INDEX "reviews_account_pet" ON "reviews" ("account_id", "pet_id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "reviews"');
  }
}
