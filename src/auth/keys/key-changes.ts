import { Injectable, Module } from '@nestjs/common';
import { Subject } from 'rxjs';
import { ApiKeysRepository } from './api-keys.repository.js';

/** The key that an operation changed; `null` means all keys of the account. */
export interface KeyChange {
  readonly accountId: number;
  readonly keyId: string | null;
}

/** Changes by this process, when they are in effect; other processes read the audit records. */
@Injectable()
export class KeyChanges extends Subject<KeyChange> {}

/** Stored keys, and their changes by this process. */
@Module({ providers: [ApiKeysRepository, KeyChanges], exports: [ApiKeysRepository, KeyChanges] })
export class StoredKeysModule {}
