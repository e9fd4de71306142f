import { Controller, Get, Query, Res } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import type { FastifyReply } from 'fastify';
import {
  Column,
  Entity,
  Index,
  OneToMany,
  ManyToOne,
  JoinColumn,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Repository,
} from 'typeorm';
import {
  type ColumnTypes,
  EnumParam,
  Operation,
  type OperationOptions,
  PageQuery,
  PatternParam,
  readPage,
  type ResponseBody,
  Revalidates,
  sendPage,
} from '../../src/index.js';
import { extensionOf, TestMigration } from './extensions.js';
import { operationsOf } from './operations.js';

/*
 * A list that can be sorted by an integer, a text and a date.
 */

@Entity({ name: 'shelves' })
@Index('shelves_size_id', ['size', 'id'])
export class Shelf {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  /** Any int64. */
  @Column({ type: 'bigint' })
  size!: string;

  @Column({ type: 'text' })
  label!: string;

  @Column({ name: 'made_at' })
  madeAt!: Date;

  @Column({ name: 'is_open' })
  isOpen!: boolean;

  @Column({ type: 'text', nullable: true })
  note!: string | null;

  @OneToMany(() => Box, ({ shelf }) => shelf)
  boxes!: Box[];
}

@Entity({ name: 'boxes' })
export class Box {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @ManyToOne(() => Shelf, ({ boxes }) => boxes)
  @JoinColumn({ name: 'shelf_id' })
  shelf!: Shelf;
}

@Entity({ name: 'crates' })
@Index('crates_room_floor_id', ['room', 'floor', 'id'])
export class Crate {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column({ type: 'text' })
  room!: string;

  @Column({ type: 'integer' })
  floor!: number;

  @Column({ type: 'simple-enum', enum: ['wood', 'steel'] })
  material!: 'wood' | 'steel';
}

class Shelves1795305700000 extends TestMigration {
  readonly statements = ({ id, int64, text, uuidKey }: ColumnTypes) => [
    `CREATE TABLE "crates" (
      "id" ${uuidKey}, "room" ${text} NOT NULL, "floor" ${int64} NOT NULL, "material" ${text} NOT NULL
    )`,
    'CREATE INDEX "crates_room_floor_id" ON "crates" ("room", "floor", "id")',
    `CREATE TABLE "shelves" (
      "id" ${id}, "size" ${int64} NOT NULL, "label" TEXT NOT NULL, "made_at" TIMESTAMP NOT NULL,
      "is_open" BOOLEAN NOT NULL, "note" TEXT
    )`,
    'CREATE INDEX "shelves_size_id" ON "shelves" ("size", "id")',
    `CREATE TABLE "boxes" ("id" TEXT PRIMARY KEY, "shelf_id" ${int64} NOT NULL REFERENCES "shelves" ("id"))`,
  ];
}

class ShelvesQuery extends PageQuery {
  @EnumParam({ description: 'What the list is sorted by.', name: 'ShelfOrder', values: ['id', 'size'] })
  sort: 'id' | 'size' = 'id';

  @PatternParam({ description: 'The label.', pattern: /./, maxLength: 50, expectation: 'a label', example: 'Food' })
  label?: string;
}

const listing = operationsOf('pets:read', 'Shelves');
const PAGE: OperationOptions['success'] = {
  status: 200,
  description: 'A page of shelves.',
  headers: ['Link', 'ETag'],
  type: [Box],
};

@Controller('shelves')
class ShelvesController {
  constructor(@InjectRepository(Shelf) private readonly shelves: Repository<Shelf>) {}

  @Get()
  @Revalidates('Link')
  @Operation(listing('listShelves', { success: PAGE }))
  async list(@Query() query: ShelvesQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    const { label, sort, ...request } = query;
    const shelves = this.shelves.createQueryBuilder('shelf').select(['shelf.id', 'shelf.label']);
    if (label !== undefined) shelves.where({ label });
    return sendPage(reply, '/v1/shelves', query, await readPage(shelves, { [sort]: 'ASC' }, request));
  }
}

export const SHELVES = extensionOf(
  { imports: [TypeOrmModule.forFeature([Shelf, Box, Crate])], controllers: [ShelvesController] },
  { entities: [Shelf, Box, Crate], migrations: [Shelves1795305700000] },
);
