import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, callerOf, CurrentCaller } from '../../auth/caller.js';
import type { ApiKey } from '../../auth/keys/api-key.entity.js';
import { ApiKeysRepository } from '../../auth/keys/api-keys.repository.js';
import { Database } from '../../database/database.js';
import { PageQuery } from '../../http/validation/query-params.js';
import { type ResponseBody, sendPage } from '../../http/conditional-requests/entity-tags.js';
import { Revalidates } from '../../http/conditional-requests/conditional.decorators.js';
import { publicAddress } from '../../http/addresses.js';
import { RefuseIdempotencyKey } from '../../http/idempotency/idempotent.decorator.js';
import { Env } from '../../platform/config/env.js';
import { CounterStore } from '../../rate-limit/counter-store.js';
import { Operation } from '../../openapi/operation.decorator.js';
import { OperationGroup } from '../../openapi/operation-group.decorator.js';
import { type KeyUsage, keyUsage } from '../usage/usage.dto.js';
import { AccountKeysService } from './account-keys.service.js';
import { ApiKeyChange, ApiKeyCreation, ApiKeyRotation, checkNotEmpty, KeyId } from './key-requests.dto.js';
import { detailsOf, type IssuedKey, type KeyDetails, type RotatedKey } from './key-responses.dto.js';
import * as operations from './keys.operations.js';

@OperationGroup('Keys', 'The API keys of the calling account.')
@Controller('keys')
export class KeysController {
  constructor(
    private readonly keys: AccountKeysService,
    private readonly stored: ApiKeysRepository,
    private readonly database: Database,
    private readonly counters: CounterStore,
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
    const options = { name, scopes, expiresInMs: expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000 };
    return this.shownOnce(reply, await this.keys.create(options, caller));
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
    const details = { ...page, items: page.items.map(detailsOf) };
    return sendPage(reply, publicAddress(this.env, '/keys'), query, details);
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
    return this.keys.change(keyId, checkNotEmpty(change), caller);
  }

  @Get(':keyId/usage')
  @Operation(operations.GET_KEY_USAGE)
  async getKeyUsage(
    @KeyId() keyId: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KeyUsage> {
    reply.header('cache-control', 'no-store');
    return keyUsage(await this.counters.peek(callerOf(await this.find(keyId, caller))));
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
    return this.shownOnce(reply, await this.keys.rotate(keyId, overlapSeconds * 1000, caller));
  }

  @Delete(':keyId')
  @Operation(operations.REVOKE_KEY)
  revokeKey(@KeyId() keyId: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.keys.revoke(keyId, caller);
  }

  private find(id: string, { accountId }: Caller): Promise<ApiKey> {
    return this.stored.get(this.database.manager, { id, accountId });
  }

  private shownOnce<Issued extends IssuedKey>(reply: FastifyReply, issued: Issued): Issued {
    reply.headers({ location: publicAddress(this.env, `/keys/${issued.id}`), 'cache-control': 'no-store' });
    return issued;
  }
}
