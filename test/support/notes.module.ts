import { Body, Controller, Get, Module, Param, Post } from '@nestjs/common';
import { getRepositoryToken, InjectDataSource, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { IsInt, IsString } from 'class-validator';
import { Column, DataSource, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { type ColumnTypes, type Extension, Idempotent, Operation, PetEntity } from '../../src/index.js';
import type { TestApp } from './app.js';
import { TestMigration } from './extensions.js';
import { operationsOf } from './operations.js';

/*
 * A module for notes about pets, written as the Nest and TypeORM documentation shows: with repositories. It uses only the
 * entity of the service.
 */

@Entity({ name: 'notes' })
export class NoteEntity {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'text', unique: true })
  text!: string;

  @ManyToOne(() => PetEntity)
  @JoinColumn({ name: 'pet_id' })
  pet!: PetEntity | null;
}

class Notes1795219350000 extends TestMigration {
  readonly statements = ({ id, int64, tableEnd }: ColumnTypes) => [
    `CREATE TABLE "notes" ("id" ${id}, "text" TEXT NOT NULL UNIQUE, "pet_id" ${int64} REFERENCES "pets" ("id")) ${tableEnd}`,
  ];
}

class NewNote {
  @IsString()
  text!: string;

  @IsInt()
  petId!: number;
}

const reading = operationsOf('pets:read', 'Notes');
const writing = operationsOf('pets:write', 'Notes');

@Controller('notes')
export class NotesController {
  constructor(
    @InjectRepository(NoteEntity) private readonly notes: Repository<NoteEntity>,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Get()
  @Operation(reading('listNotes'))
  list(): Promise<NoteEntity[]> {
    return this.notes.find({ relations: { pet: true }, order: { id: 'ASC' } });
  }

  @Post()
  @Operation(writing('createNote'))
  @Idempotent()
  async create(@Body() { text, petId }: NewNote): Promise<{ id: number }> {
    const { id } = await this.notes.save({ text, pet: { id: petId } });
    return { id };
  }

  /** Renames the pet. Fails if a note already has the text. */
  @Post(':petId/renaming')
  @Operation(writing('renameByNote'))
  rename(@Param('petId') petId: string, @Body() { text }: NewNote): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      await manager.update(PetEntity, petId, { name: text });
      await manager.insert(NoteEntity, { text, pet: { id: Number(petId) } });
    });
  }
}

@Module({ imports: [TypeOrmModule.forFeature([NoteEntity])], controllers: [NotesController] })
class NotesModule {}

export const NOTES: Extension = { module: NotesModule, migrations: [Notes1795219350000] };

export const notesOf = ({ app }: TestApp) =>
  app.get<Repository<NoteEntity>>(getRepositoryToken(NoteEntity), { strict: false });
