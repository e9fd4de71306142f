import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { READER } from './data-source-options.js';
import { FileIdentity } from './file-identity.js';
import { translate } from './unavailable.js';
import { type WriteOptions, WriteQueue } from './write-queue.js';

/**
 * How features reach their data.
 * A database that can't answer at the moment shows as ApiError `service_unavailable` with Retry-After.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  private readonly file: FileIdentity;
  private readonly writes: WriteQueue;

  constructor(
    @InjectDataSource() writer: DataSource,
    @InjectDataSource(READER) private readonly reader: DataSource,
  ) {
    this.file = new FileIdentity(String(writer.options.database));
    this.writes = new WriteQueue(writer.createQueryRunner(), () => this.file.check());
  }

  /** Reads what is committed. */
  async read<T>(query: (manager: EntityManager) => Promise<T>): Promise<T> {
    this.file.check();
    try {
      return await query(this.reader.manager);
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Runs `work` in a transaction of its own: durable once fulfilled, without a trace when rejected. All writes of the
   * process wait for each other, so `work` must await nothing but the database.
   * @throws Error when called within `work` of another write
   */
  write<T>(work: (manager: EntityManager) => Promise<T>, options?: WriteOptions): Promise<T> {
    return this.writes.run(work, options);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writes.idle();
  }
}
