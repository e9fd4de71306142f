import { createHash } from 'node:crypto';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { IsNull, Repository } from 'typeorm';
import { type Account, ApiKey } from './entities.js';

/** A request with the account of its key. */
export type AccountRequest = IncomingMessage & {
  readonly ip?: string;
  token?: string | undefined;
  account?: Account | undefined;
};

@Injectable()
export class AccountMiddleware implements NestMiddleware {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async use(request: AccountRequest, _response: ServerResponse, next: () => void): Promise<void> {
    request.token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (request.token !== undefined) {
      const sha256 = createHash('sha256').update(request.token).digest('hex');
      const key = await this.keys.findOne({ where: { sha256, revokedAt: IsNull() }, relations: { account: true } });
      request.account = key?.account;
    }
    next();
  }
}
