import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { Account, KeysService } from '../auth/index.js';
import { Env } from '../config/index.js';
import { Database } from '../database/index.js';
import { PetsService } from '../pets/index.js';
import { SAMPLE_PETS } from './sample-pets.js';
import { welcome } from './welcome.js';

/** On the first start of the embedded default: a few pets and one key, so that the first call can be made at once. */
@Injectable()
export class FirstRunService implements OnApplicationBootstrap {
  private readonly logger = new Logger('FirstRun');

  constructor(
    private readonly env: Env,
    private readonly database: Database,
    private readonly pets: PetsService,
    private readonly keys: KeysService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Waits until the service listens: a key that could not be shown would be lost. */
  onApplicationBootstrap(): void {
    if (this.env.DATABASE_URL !== undefined) return;
    this.adapterHost.listen$.subscribe(() => {
      this.greet().catch((error: unknown) => this.logger.error(error));
    });
  }

  private async greet(): Promise<void> {
    const key = await this.database.write((manager) => this.fill(manager));
    if (key === undefined) return;
    const { port } = this.adapterHost.httpAdapter.getHttpServer().address() as AddressInfo;
    // Straight to standard output: a secret must never pass through the logger.
    process.stdout.write(welcome(`http://localhost:${port}`, key));
  }

  /** The new key, or nothing where the database is in use already. */
  private async fill(manager: EntityManager): Promise<string | undefined> {
    if ((await this.pets.existIn(manager)) || (await manager.exists(Account))) return undefined;
    for (const pet of SAMPLE_PETS) await this.pets.createIn(manager, pet);
    return (await this.keys.createKeyIn(manager, { account: 'demo', plan: 'pro' }, 'first-run')).key;
  }
}
