import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccountKeysService, type Caller, CurrentCaller } from '../auth/index.js';
import { Env } from '../config/index.js';
import { nextPageLink, publicAddress } from '../http/index.js';
import { type Answer, type Attempt, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, StrictQuery } from '../validation/index.js';
import type { AccountKey, IssuedAccountKey } from './key.dto.js';
import { toAccountKey, toIssuedKey, toRotatedKey } from './key-answers.js';
import { KEY_ID_PARAM, KeyId } from './key-id.decorator.js';
import { CREATE_KEY, GET_KEY, LIST_KEYS, NEW_KEYS, REVOKE_KEY, ROTATE_KEY, ROTATIONS } from './keys.operations.js';
import { ListKeysQuery } from './list-keys.query.js';
import { ApiKeyRotation, NewApiKey } from './new-key.dto.js';

@OperationGroup('Keys', 'The API keys of the calling account.')
@Controller('keys')
export class KeysController {
  private readonly address: string;

  constructor(
    private readonly keys: AccountKeysService,
    private readonly idempotency: Idempotency,
    env: Env,
  ) {
    this.address = publicAddress(env, '/keys');
  }

  @Post()
  @Operation(CREATE_KEY)
  createKey(
    @JsonBody(NewApiKey, NEW_KEYS) { scopes, expiresInSeconds, test }: NewApiKey,
    @CurrentCaller() caller: Caller,
    @CurrentAttempt() attempt: Attempt,
  ): Promise<string> {
    const options = { scopes, expiresInMs: expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000, test };
    return this.idempotency.answer(attempt, async (manager) => this.shownOnce(toIssuedKey(await this.keys.createIn(manager, options, caller))));
  }

  @Get()
  @Operation(LIST_KEYS)
  async listKeys(
    @StrictQuery(ListKeysQuery) { limit, after }: ListKeysQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountKey[]> {
    const { keys, nextAfter } = await this.keys.list(limit, after, caller);
    if (nextAfter !== undefined) reply.header('link', nextPageLink(this.address, { limit }, nextAfter));
    return keys.map(toAccountKey);
  }

  @Get(':keyId')
  @Operation(GET_KEY)
  @ApiParam(KEY_ID_PARAM)
  async getKey(@KeyId() keyId: string, @CurrentCaller() caller: Caller): Promise<AccountKey> {
    return toAccountKey(await this.keys.get(keyId, caller));
  }

  @Post(':keyId/rotate')
  @Operation(ROTATE_KEY)
  @ApiParam(KEY_ID_PARAM)
  rotateKey(
    @KeyId() keyId: string,
    @JsonBody(ApiKeyRotation, ROTATIONS) { overlapSeconds }: ApiKeyRotation,
    @CurrentCaller() caller: Caller,
    @CurrentAttempt() attempt: Attempt,
  ): Promise<string> {
    return this.idempotency.answer(attempt, async (manager) =>
      this.shownOnce(toRotatedKey(await this.keys.rotateIn(manager, keyId, overlapSeconds * 1000, caller))),
    );
  }

  @Delete(':keyId')
  @Operation(REVOKE_KEY)
  @ApiParam(KEY_ID_PARAM)
  revokeKey(@KeyId() keyId: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.keys.revoke(keyId, caller);
  }

  /** An answer that shows a secret. */
  private shownOnce(issued: IssuedAccountKey): Answer {
    return { headers: { location: `${this.address}/${issued.id}`, 'cache-control': 'no-store' }, body: issued };
  }
}
