import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolClient, QueryResult } from 'pg';
import { DataSource, QueryFailedError } from 'typeorm';
import { Env } from '../config/index.js';
import { ConnectionTurns } from './connection-turns.js';
import { Database } from './database.js';
import type { Runner } from './runner.js';
import { isPostgresAway, unavailable } from './unavailable.js';
import type { Work } from './within-write.js';

/** PostgreSQL, through a pool of connections; several instances may share it. */
@Injectable()
export class PostgresDatabase extends Database implements OnApplicationShutdown {
  override readonly isEmbedded = false;
  private readonly writing = new Set<Promise<unknown>>();

  private readonly turns: ConnectionTurns;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    env: Env,
  ) {
    super();
    this.turns = new ConnectionTurns(env.DATABASE_POOL_SIZE, env.DATABASE_POOL_WAIT_MS);
  }

  override read<T>(query: Work<T>): Promise<T> {
    return this.connected(({ manager }) => query(manager));
  }

  protected override transact<T>(work: Work<T>): Promise<T> {
    const written = this.connected((runner, client) => transact(runner, client, work));
    const settled = written.catch(() => undefined).finally(() => this.writing.delete(settled));
    this.writing.add(settled);
    return written;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.writing);
  }

  /** Lends a connection of the pool. One that failed to answer is given up: the answer may still be on its way. */
  private async connected<T>(use: (runner: Runner, client: PoolClient) => Promise<T>): Promise<T> {
    await this.turns.take();
    const runner = this.dataSource.createQueryRunner();
    let client: PoolClient | undefined;
    let isAway = false;
    try {
      client = (await runner.connect()) as PoolClient;
      return await use(runner, client);
    } catch (error) {
      isAway = client === undefined || isPostgresAway(error);
      if (!isAway) throw error;
      client?.end(() => undefined);
      throw unavailable(error);
    } finally {
      await runner.release();
      this.turns.giveBack(!isAway);
    }
  }
}

async function transact<T>(runner: Runner, client: PoolClient, work: Work<T>): Promise<T> {
  await runner.query('BEGIN');
  // Tells TypeORM to begin none in what `work` calls.
  runner.isTransactionActive = true;
  try {
    const result = await work(runner.manager);
    await commit(client);
    return result;
  } catch (error) {
    if (!isPostgresAway(error)) await runner.query('ROLLBACK');
    throw error;
  } finally {
    runner.isTransactionActive = false;
  }
}

/** Of a transaction in which a statement failed, PostgreSQL answers a COMMIT with success and the word ROLLBACK. */
async function commit(client: PoolClient): Promise<void> {
  const { command }: QueryResult = await client.query('COMMIT').catch((error: Error) => {
    throw new QueryFailedError('COMMIT', [], error);
  });
  if (command !== 'COMMIT') throw new Error('A statement of the transaction had failed, so nothing of it was kept.');
}
