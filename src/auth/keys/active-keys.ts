import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { Clock } from '../../platform/config/clock.js';
import { type Caller, callerOf } from '../caller.js';
import { refusalOf } from '../unauthorized.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { AuditRecord } from './audit-record.entity.js';

/** Returns what keys may do, for work that continues after their requests. */
@Injectable()
export class ActiveKeys {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly keys: ApiKeysRepository,
  ) {}

  /** The callers of those keys that are valid, and whose accounts are not suspended, by the identifier of the key. */
  async find(keyIds: readonly string[]): Promise<Map<string, Caller>> {
    const nowMs = this.clock.nowMs();
    const keys = await this.keys.findAll(this.database.manager, keyIds);
    const active = keys.filter((key) => refusalOf(key, nowMs) === undefined);
    return new Map(active.map((key) => [key.id, callerOf(key, nowMs)]));
  }

  /** Another number after each operation on keys, accounts and webhooks, by any process: for what is cached of them. */
  async version(): Promise<number> {
    return (await this.database.manager.maximum(AuditRecord, 'id')) ?? 0;
  }
}
