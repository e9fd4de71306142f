import { Injectable, Module } from '@nestjs/common';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { BeforeCommit, columnTypes, type DomainEvent, type Extension } from '../../../../src/index.js';

class Shelf1795219360000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, tableEnd } = columnTypes(runner);
    await runner.query(`CREATE TABLE "shelf" ("pet_id" ${int64} NOT NULL PRIMARY KEY) ${tableEnd}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "shelf"');
  }
}

@Injectable()
class Shelf {
  @BeforeCommit('pet.created', { batch: true })
  async add(events: readonly DomainEvent<'pet.created'>[], manager: EntityManager): Promise<void> {
    // Parameters instead of values, so that the statements of batches of one size have one text and are parsed once.
    const rows = events.map((_, index) => `(${manager.dataSource.driver.createParameter('id', index)})`);
    const ids = events.map(({ after }) => after.id);
    await manager.query(`INSERT INTO "shelf" ("pet_id") VALUES ${rows.join()}`, ids);
  }
}

@Module({ providers: [Shelf] })
class ShelfModule {}

export const SHELF: Extension = { module: ShelfModule, migrations: [Shelf1795219360000] };
