import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { Account } from './auth/keys/account.entity.js';
import { KeysService } from './accounts/keys/keys.service.js';
import { Env } from './platform/config/env.js';
import { StandardOutput } from './platform/logging/standard-output.js';
import { runAs } from './database/events/actor.js';
import { Database } from './database/database.js';
import { localOrigin } from './http/addresses.js';
import { PetEntity, PetsService } from './pets/index.js';

export const SAMPLE_PETS = [
  { name: 'Bella', categoryId: 1, status: 'available' },
  { name: 'Milo', categoryId: 2, status: 'available' },
  { name: 'Luna', categoryId: 1, status: 'pending' },
  { name: 'Oscar', categoryId: 3, status: 'sold' },
  { name: 'Nala', categoryId: 2 },
] as const;

/** Creates a few pets and one key on the first start with the embedded database, so that the first call works at once. */
@Injectable()
export class SampleData implements OnApplicationBootstrap {
  private readonly logger = new Logger('FirstRun');

  constructor(
    private readonly env: Env,
    private readonly database: Database,
    private readonly pets: PetsService,
    private readonly keys: KeysService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Runs when the service listens: a key that cannot be shown would be lost. */
  onApplicationBootstrap(): void {
    if (this.env.DATABASE_URL !== undefined || !this.env.SAMPLE_DATA) return;
    this.adapterHost.listen$.subscribe(() => {
      this.greet().catch((error: unknown) => this.logger.error(error));
    });
  }

  private async greet(): Promise<void> {
    const key = await runAs('first-run', () => this.database.write((manager) => this.fill(manager)));
    if (key === undefined) return;
    // Directly to standard output: the logger must never see a secret.
    StandardOutput.get().write(welcome(localOrigin(this.adapterHost.httpAdapter.getHttpServer()), key));
  }

  private async fill(manager: EntityManager): Promise<string | undefined> {
    if ((await manager.exists(PetEntity)) || (await manager.exists(Account))) return undefined;
    for (const pet of SAMPLE_PETS) await this.pets.create(pet);
    return (await this.keys.createKey({ account: 'demo', plan: 'pro' })).key;
  }
}

function welcome(origin: string, key: string): string {
  return `
The pet store is ready, with sample pets and an API key on the Pro plan.
The key is shown only once:

  ${key}

Explore the API at ${origin}/docs, or call it:

  curl -H "Authorization: Bearer ${key}" ${origin}/v1/pets

`;
}
