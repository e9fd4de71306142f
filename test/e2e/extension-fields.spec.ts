import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import {
  BooleanField,
  BooleanParam,
  type ColumnTypes,
  DateTimeField,
  DateTimeParam,
  DecimalField,
  EnumField,
  IntegerField,
  NestedField,
  Operation,
  PageQuery,
  readPage,
  TextField,
  TIME_COLUMN,
} from '../../src/index.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf, TestMigration } from '../support/extensions.js';
import { fetchDocument } from '../openapi/document.js';

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

  @DecimalField({ description: 'Tip.', example: '0.00', digits: 5, scale: 2, minimum: '0.00', optional: true })
  tip?: string;
}

@Entity({ name: 'bookings' })
class Booking {
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

class CreateBookings1795305600000 extends TestMigration {
  readonly statements = ({ id, time, decimal, boolean, text, json, tableEnd }: ColumnTypes) => [
    `CREATE TABLE "bookings" (
      "id" ${id}, "starts_at" ${time} NOT NULL, "ends_at" ${time}, "price" ${decimal(20, 2)} NOT NULL,
      "share" ${decimal(3, 3)}, "paid" ${boolean} NOT NULL, "confirmed" ${boolean}, "size" ${text},
      "guest" ${json} NOT NULL, "companion" ${json}
    ) ${tableEnd}`,
  ];
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

/** Has a field and a column of each kind. */
const BOOKINGS = extensionOf(
  { imports: [TypeOrmModule.forFeature([Booking])], controllers: [BookingsController] },
  { entities: [Booking], migrations: [CreateBookings1795305600000] },
);

const BOOKING = { startsAt: '2026-11-24T09:30:00Z', price: '12.5', paid: true, guest: { name: 'Ada' } };
const STORED = {
  startsAt: '2026-11-24T09:30:00.000Z',
  endsAt: null,
  price: '12.50',
  share: null,
  paid: true,
  confirmed: null,
  size: null,
  guest: { name: 'Ada' },
  companion: null,
};

shareApp({ extensions: [BOOKINGS] }, { ...AMPLE, scopes: ['bookings:use'] });

const book = (change: object) => service.post('/v1/bookings', key, JSON.stringify({ ...BOOKING, ...change }));

async function listed(query: string): Promise<{ items: { id: number }[]; nextAfter?: string }> {
  return (await (await service.request(`/v1/bookings${query}`, { key })).json()) as never;
}

describe('fields and columns of an extension', () => {
  it.each<[object, object]>([
    [{}, {}],
    [{ startsAt: '2026-11-24t10:30:00.1239+01:00' }, { startsAt: '2026-11-24T09:30:00.123Z' }],
    [{ startsAt: '0001-01-01T00:00:00Z' }, { startsAt: '0001-01-01T00:00:00.000Z' }],
    [{ endsAt: '2028-02-29T23:59:59Z' }, { endsAt: '2028-02-29T23:59:59.000Z' }],
    [{ price: '123456789012345678.99' }, { price: '123456789012345678.99' }],
    [{ price: '-0' }, { price: '0.00' }],
    [{ price: '-5' }, { price: '-5.00' }],
    [{ share: '0.5' }, { share: '0.500' }],
    [
      { paid: false, confirmed: false },
      { paid: false, confirmed: false },
    ],
    [{ confirmed: null, size: null, share: null, companion: null }, {}],
    [{ size: 'large' }, { size: 'large' }],
    [{ deposit: '-0.5', others: [{ name: 'Zoë' }, { name: 'Max', age: 5 }] }, {}],
    [{ others: [] }, {}],
    [{ companion: { name: 'Zoë', age: null } }, { companion: { name: 'Zoë', age: null } }],
  ])('keep what was sent: %j', async (change, expected) => {
    const response = await book(change);
    expect(await response.json()).toEqual({ id: expect.any(Number), ...STORED, ...expected });
    expect(response.status).toBe(201);
  });

  it.each<[object, string]>([
    [{ startsAt: 5 }, 'startsAt must be a string, not an integer (put it in quotes).'],
    [{ startsAt: '2026-11-24' }, 'startsAt must be an RFC 3339 date-time such as 2026-11-24T00:00:00Z.'],
    [{ startsAt: '2026-02-29T00:00:00Z' }, 'startsAt must be an RFC 3339 date-time such as 2026-11-24T00:00:00Z.'],
    [{ endsAt: 'now' }, 'endsAt must be an RFC 3339 date-time such as 2026-11-24T00:00:00Z, or be null.'],
    [{ price: 12.5 }, 'price must be a string, not a number with a fraction (put it in quotes).'],
    ...['1.234', '1e3', '01', '.5', '5.', '1234567890123456789', ''].map((price): [object, string] => [
      { price },
      'price must be a decimal with at most 18 digits before the point and 2 after it, such as "0.00".',
    ]),
    [
      { share: '1.5' },
      'share must be a decimal with at most 0 digits before the point and 3 after it, such as "0.000", or be null.',
    ],
    [{ confirmed: 'yes' }, 'confirmed must be true or false, not a string.'],
    [{ size: 'huge' }, 'size must be one of small, large, or be null.'],
    [{ guest: null }, 'guest must be an object, not null.'],
    [{ guest: [] }, 'guest must be an object, not a list.'],
    [{ guest: { name: '' } }, 'guest.name must have 1 to 20 characters'],
    [{ guest: { nam: 'Ada' } }, 'did you mean name?'],
    [{ others: { name: 'Ada' } }, 'others must be a list, not an object.'],
    [{ others: [[]] }, 'others must have up to 2 objects'],
    [{ others: [1, 2, 3].map(() => ({ name: 'Ada' })) }, 'others must have up to 2 objects'],
    [{ others: [{ name: 'Ada' }, { name: '' }] }, 'others.1.name must have 1 to 20 characters'],
    [{ deposit: '-0.51' }, 'and 2 after it, such as "-0.50", and not less.'],
    [
      { tip: '-1.00' },
      'tip must be a decimal with at most 3 digits before the point and 2 after it, such as "0.00", and',
    ],
  ])('refuse %j', async (change, message) => {
    const error = await errorOf(await book(change));
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(error.message).toContain(message);
  });

  it('sort, filter and page by time, and filter by a boolean', async () => {
    const ids: number[] = [];
    for (const hour of [1, 2, 3])
      ids.push(
        ((await (await book({ startsAt: `2030-01-01T0${hour}:00:00Z`, paid: hour === 2 })).json()) as { id: number })
          .id,
      );
    const from = '?from=2030-01-01T03:00:00%2B02:00';
    const { items, nextAfter } = await listed(`${from}&limit=2`);
    const rest = await listed(`${from}&limit=2&after=${nextAfter}`);
    expect([...items, ...rest.items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect((await listed(`${from}&paid=true`)).items.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await listed(`${from}&paid=false`)).items).toHaveLength(2);
    const wrong = await service.request('/v1/bookings?paid=1&from=2030-01-01', { key });
    expect((await errorOf(wrong)).message).toBe(
      'from must be an RFC 3339 date-time such as 2026-11-24T00:00:00Z, with + written as %2B; paid must be true or false.',
    );
  });

  it('are documented as they are checked', async () => {
    const { schemas } = (await fetchDocument(service)).components ?? {};
    expect(schemas?.['NewBooking']).toMatchObject({
      required: ['startsAt', 'price', 'paid', 'guest'],
      properties: {
        startsAt: { type: 'string', format: 'date-time', maxLength: 35, examples: ['2026-11-24T09:30:00Z'] },
        endsAt: { description: 'End.', type: ['string', 'null'], format: 'date-time' },
        price: { type: 'string', pattern: String.raw`^-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,2})?$`, maxLength: 23 },
        deposit: { pattern: String.raw`^-?(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,2})?$` },
        tip: { pattern: String.raw`^(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,2})?$` },
        confirmed: { type: ['boolean', 'null'] },
        size: { anyOf: [{ $ref: '#/components/schemas/RoomSize' }, { type: 'null' }] },
        guest: { $ref: '#/components/schemas/Guest' },
        others: { type: 'array', maxItems: 2, items: { $ref: '#/components/schemas/Guest' } },
        companion: { anyOf: [{ $ref: '#/components/schemas/Guest' }, { type: 'null' }] },
      },
    });
    expect(schemas).toHaveProperty('RoomSize.enum', ['small', 'large']);
  });
});
