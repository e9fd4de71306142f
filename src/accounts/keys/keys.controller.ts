import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type IssuedKey, type KeyDetails, type RotatedKey, detailsOf } from './key-responses.dto.js';
import { type Caller, CurrentCaller, callerOf } from '../../auth/caller.js';
import { PageQuery } from '../../http/validation/params.js';
import { type ResponseBody, sendPage, Revalidates } from '../../http/conditional-requests/conditional-requests.js';
import { refusalOf, scopeNeeded } from '../../auth/unauthorized.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository } from '../../auth/keys/api-keys.repository.js';
import type { AuditedOperation } from '../../auth/keys/audit-record.entity.js';
import { KnownScopes, MANAGE_KEYS, REQUESTED_SCOPES } from '../../auth/keys/scopes.js';
import { Database } from '../../database/database.js';
import { publicAddress } from '../../http/addresses.js';
import { ApiError } from '../../http/errors/api-error.js';
import { RefuseIdempotencyKey } from '../../http/idempotency/idempotent.decorator.js';
import { Env } from '../../platform/config/env.js';
import { Operation, OperationGroup } from '../../openapi/operation.decorator.js';
import { type KeyUsage, keyUsage } from '../usage/usage.dto.js';
import { Clock } from '../../platform/config/clock.js';
import { CounterStore } from '../../rate-limit/counter-store.js';
import { invalid } from './key-options.js';
import { ApiKeyChange, ApiKeyCreation, ApiKeyRotation, KeyId } from './key-requests.dto.js';
import { KeysService } from './keys.service.js';
import * as rules from './key-rules.js';
import * as operations from './keys.operations.js';

/** What a key does with the keys of its account, within its rules. Audit records name it, as the actor of the request. */
@OperationGroup('Keys', 'The API keys of the calling account.')
@Controller('keys')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly stored: ApiKeysRepository,
    private readonly database: Database,
    private readonly counters: CounterStore,
    private readonly scopes: KnownScopes,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  @Post()
  @Operation(operations.CREATE_KEY)
  @RefuseIdempotencyKey()
  async createKey(
    @Body() { name, scopes, expiresInSeconds }: ApiKeyCreation,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedKey> {
    rules.checkKnown(scopes ?? [], this.scopes.names);
    await this.checkRoom(caller);
    const issued = await this.act(caller, async (own, { atMs }) => {
      const expiresInMs = rules.lifetimeWithin(own, expiresInSeconds, atMs);
      const granted = scopes ?? own.scopes.filter((scope) => !REQUESTED_SCOPES.includes(scope));
      rules.checkScopesWithin(own, granted);
      await this.checkRoom(own);
      const { name: account, plan } = own.account;
      return this.keys.createKey({ account, plan, name, scopes: granted, expiresInMs }, own.expiresAt ?? undefined);
    });
    return this.shownOnce(reply, issued);
  }

  @Get()
  @Operation(operations.LIST_KEYS)
  @Revalidates('Link')
  async listKeys(
    @Query() query: PageQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const page = await this.stored.pageOf(this.database.manager, accountId, query);
    const keys = page.items.map(detailsOf);
    return sendPage(reply, publicAddress(this.env, '/keys'), query, { ...page, items: keys });
  }

  @Get(':keyId')
  @Operation(operations.GET_KEY)
  async getKey(@KeyId() keyId: string, @CurrentCaller() caller: Caller): Promise<KeyDetails> {
    return detailsOf(await this.find(keyId, caller));
  }

  @Patch(':keyId')
  @Operation(operations.CHANGE_KEY)
  async changeKey(
    @KeyId() keyId: string,
    @Body() change: ApiKeyChange,
    @CurrentCaller() caller: Caller,
  ): Promise<KeyDetails> {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid('The request body must have at least one of name, scopes and paused.');
    return this.act(caller, async (own, { atMs }) => {
      const key = await this.find(keyId, own);
      rules.checkNotEnded(key, atMs);
      rules.checkNarrower(key, change.scopes ?? []);
      return this.keys.change(keyId, change);
    });
  }

  @Get(':keyId/usage')
  @Operation(operations.GET_KEY_USAGE)
  async getKeyUsage(
    @KeyId() keyId: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyUsage> {
    reply.header('cache-control', 'no-store');
    return keyUsage(await this.counters.peek(callerOf(await this.find(keyId, caller), this.clock.nowMs())));
  }

  @Post(':keyId/rotate')
  @Operation(operations.ROTATE_KEY)
  @RefuseIdempotencyKey()
  async rotateKey(
    @KeyId() keyId: string,
    @Body() { overlapSeconds }: ApiKeyRotation,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RotatedKey> {
    if (overlapSeconds > 0) await this.checkRoom(caller);
    const rotated = await this.act(caller, async (own, { atMs }) => {
      const key = await this.find(keyId, own);
      rules.checkNotRetired(key, atMs);
      rules.checkScopesWithin(own, key.scopes);
      if (overlapSeconds > 0) await this.checkRoom(own);
      return this.keys.rotate(keyId, overlapSeconds * 1000, own.expiresAt ?? undefined);
    });
    return this.shownOnce(reply, rotated);
  }

  @Delete(':keyId')
  @Operation(operations.REVOKE_KEY)
  revokeKey(@KeyId() keyId: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.act(caller, async (own) => {
      await this.find(keyId, own);
      await this.keys.revoke(keyId);
    });
  }

  /** Runs `work` with the calling key as it is now, which can have fewer rights than at admission. */
  private act<T>(caller: Caller, work: (own: ApiKey, operation: AuditedOperation) => Promise<T>): Promise<T> {
    return this.keys.operate(async (operation) => {
      const own = await this.stored.get(operation.manager, { id: caller.keyId });
      const refusal = refusalOf(own, operation.atMs);
      if (refusal !== undefined) throw ApiError.of(refusal);
      if (!own.scopes.includes(MANAGE_KEYS)) throw ApiError.of(scopeNeeded(MANAGE_KEYS, own.scopes));
      return work(own, operation);
    });
  }

  /** Called before an operation too, so that one that is refused anyway does not wait for others. */
  private async checkRoom({ accountId }: Pick<ApiKey, 'accountId'>): Promise<void> {
    const active = await this.stored.countActive(this.database.manager, accountId, this.clock.nowMs());
    if (active >= rules.MOST_ACTIVE_KEYS) throw rules.keyLimitReached(active);
  }

  private find(id: string, { accountId }: Pick<ApiKey, 'accountId'>): Promise<ApiKey> {
    return this.stored.get(this.database.manager, { id, accountId });
  }

  private shownOnce<Issued extends IssuedKey>(reply: FastifyReply, issued: Issued): Issued {
    reply.headers({ location: publicAddress(this.env, `/keys/${issued.id}`), 'cache-control': 'no-store' });
    return issued;
  }
}
