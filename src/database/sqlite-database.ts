import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Database, type WriteOptions } from './database.js';
import { FileIdentity } from './file-identity.js';
import { READER } from './sqlite-options.js';
import { translate } from './unavailable.js';
import type { Work } from './within-write.js';
import { WriteQueue } from './write-queue.js';

/** The embedded database: one connection that writes for everybody in turn, and one that reads beside it. */
@Injectable()
export class SqliteDatabase extends Database implements OnApplicationShutdown {
  override readonly isEmbedded = true;
  private readonly file: FileIdentity;
  private readonly writes: WriteQueue;

  constructor(
    @InjectDataSource() private readonly writer: DataSource,
    @InjectDataSource(READER) private readonly reader: DataSource,
  ) {
    super();
    this.file = new FileIdentity(String(writer.options.database));
    this.writes = new WriteQueue(writer.createQueryRunner(), () => this.file.check());
  }

  override async read<T>(query: Work<T>): Promise<T> {
    this.file.check();
    try {
      return await query(this.reader.manager);
    } catch (error) {
      throw translate(error);
    }
  }

  override async foreignVersion(): Promise<number> {
    this.file.check();
    // Of the writer, as what it commits itself does not show in its own.
    const [row] = await this.writer.query<{ data_version: number }[]>('PRAGMA data_version');
    return row?.data_version ?? 0;
  }

  protected override transact<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    return this.writes.run(work, options);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writes.idle();
  }
}
