import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { AccountRequest } from './account.middleware.js';

const REALM = 'Bearer realm="petstore"';
const HOW = 'Send it as "Authorization: Bearer <API key>".';

@Injectable()
export class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { account, token } = context.switchToHttp().getRequest<AccountRequest>();
    if (account !== undefined) return true;
    context
      .switchToHttp()
      .getResponse<ServerResponse>()
      .setHeader('WWW-Authenticate', token === undefined ? REALM : `${REALM}, error="invalid_token"`)
      .setHeader('Cache-Control', 'no-store');
    throw new UnauthorizedException(
      token === undefined
        ? { code: 'missing_api_key', message: `This operation needs an API key. ${HOW}`, status: 401 }
        : { code: 'invalid_api_key', message: 'The API key is not valid.', status: 401 },
    );
  }
}
