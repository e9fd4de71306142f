import { Body, Controller, Get, Module, Post, Query } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner, Repository } from 'typeorm';
import {
  BooleanField,
  BooleanParam,
  columnTypes,
  DateTimeField,
  DateTimeParam,
  DecimalField,
  EnumField,
  type Extension,
  IntegerField,
  NestedField,
  Operation,
  PageQuery,
  readPage,
  TextField,
  TIME_COLUMN,
} from '../../src/index.js';

class Guest {
  @TextField({ description: 'Name.', example: 'Ada', maxLength: 20 })
  name!: string;

  @IntegerField({ description: 'Age.', example: 5, minimum: 0, maximum: 150, optional: true, nullable: true })
  age?: number | null;
}

const SIZE = { name: 'RoomSize', values: ['small', 'large'] };

class NewBooking {
  @DateTimeField({ description: 'Start.', example: '2026-11-24T09:30:00Z' })
  startsAt!: Date;

  @DateTimeField({ description: 'End.', example: '2026-11-24T10:30:00Z', optional: true, nullable: true })
  endsAt?: Date | null;

  @DecimalField({ description: 'Price.', example: '12.50', digits: 20, scale: 2 })
  price!: string;

  @DecimalField({ description: 'Share.', example: '0.5', digits: 3, scale: 3, optional: true, nullable: true })
  share?: string | null;

  @BooleanField({ description: 'Paid.', example: true })
  paid!: boolean;

  @BooleanField({ description: 'Confirmed.', example: true, optional: true, nullable: true })
  confirmed?: boolean | null;

  @EnumField({ ...SIZE, description: 'Size.', example: 'small', optional: true, nullable: true })
  size?: string | null;

  @NestedField(() => Guest, { description: 'Who comes.' })
  guest!: Guest;

  @NestedField(() => Guest, { description: 'Who comes along.', optional: true, nullable: true })
  companion?: Guest | null;

  @NestedField(() => Guest, { description: 'Who comes later.', optional: true, maxItems: 2 })
  others?: Guest[];

  @DecimalField({ description: 'Deposit.', example: '0.00', digits: 5, scale: 2, minimum: '-0.50', optional: true })
  deposit?: string;
}

@Entity({ name: 'bookings' })
export class Booking {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ ...TIME_COLUMN, name: 'starts_at' })
  startsAt!: Date;

  @Column({ ...TIME_COLUMN, name: 'ends_at', nullable: true })
  endsAt!: Date | null;

  @Column({ type: 'decimal' })
  price!: string;

  @Column({ type: 'decimal', nullable: true })
  share!: string | null;

  @Column({ type: 'boolean' })
  paid!: boolean;

  @Column({ type: 'boolean', nullable: true })
  confirmed!: boolean | null;

  @Column({ type: 'text', nullable: true })
  size!: string | null;

  @Column({ type: 'simple-json' })
  guest!: Guest;

  @Column({ type: 'simple-json', nullable: true })
  companion!: Guest | null;
}

class CreateBookings1795305600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { id, time, decimal, boolean, text, json, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "bookings" (
        "id" ${id}, "starts_at" ${time} NOT NULL, "ends_at" ${time}, "price" ${decimal(20, 2)} NOT NULL,
        "share" ${decimal(3, 3)}, "paid" ${boolean} NOT NULL, "confirmed" ${boolean}, "size" ${text},
        "guest" ${json} NOT NULL, "companion" ${json}
      ) ${tableEnd}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "bookings"');
  }
}

class ListBookings extends PageQuery {
  @DateTimeParam({ description: 'Return only bookings that start then or later.' })
  from?: Date;

  @BooleanParam({ description: 'Return only bookings that are paid, or only others.' })
  paid?: boolean;
}

const operation = { scope: 'bookings:use', stability: 'beta' } as const;

@Controller('bookings')
class BookingsController {
  constructor(@InjectRepository(Booking) private readonly bookings: Repository<Booking>) {}

  @Post()
  @Operation({ ...operation, id: 'book', summary: 'Book', success: { status: 201, description: 'Booked.' } })
  async book(@Body() booking: NewBooking): Promise<Booking> {
    const { id } = await this.bookings.save(this.bookings.create(booking));
    return this.bookings.findOneByOrFail({ id });
  }

  @Get()
  @Operation({ ...operation, id: 'listBookings', summary: 'List', success: { status: 200, description: 'A page.' } })
  async list(@Query() { from, paid, ...page }: ListBookings): Promise<object> {
    const query = this.bookings.createQueryBuilder('booking');
    if (from !== undefined) query.andWhere('booking.startsAt >= :from', { from: from.getTime() });
    if (paid !== undefined) query.andWhere({ paid });
    return readPage(query, { startsAt: 'DESC' }, page);
  }
}

@Module({ imports: [TypeOrmModule.forFeature([Booking])], controllers: [BookingsController] })
class BookingsModule {}

/** Has a field and a column of each kind. */
export const BOOKINGS: Extension = {
  module: BookingsModule,
  entities: [Booking],
  migrations: [CreateBookings1795305600000],
};
