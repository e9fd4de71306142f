import { Module, type ModuleMetadata } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type ColumnTypes, columnTypes, type Extension } from '../../src/index.js';

/** Runs statements, which no test reverts. */
export abstract class TestMigration implements MigrationInterface {
  abstract readonly statements: (types: ColumnTypes) => readonly string[];

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of this.statements(columnTypes(runner))) await runner.query(sql);
  }

  readonly down = () => Promise.resolve();
}

/** An extension whose module needs no name. */
export function extensionOf(metadata: ModuleMetadata, more: Omit<Extension, 'module'> = {}): Extension {
  @Module(metadata)
  class TestModule {}
  return { module: TestModule, ...more };
}
