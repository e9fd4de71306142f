import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { AccountRequest } from './account.middleware.js';
import type { Account } from './entities.js';

const ANONYMOUS = {
  perMinute: Number(process.env['ANONYMOUS_PER_MINUTE']),
  perDay: Number(process.env['ANONYMOUS_PER_DAY']),
};

/** Counts requests by account, or by address for requests without a key. */
@Injectable()
export class AccountThrottlerGuard extends ThrottlerGuard {
  protected override async getTracker({ account, ip }: AccountRequest): Promise<string> {
    return String(account?.id ?? ip);
  }
}

export function limitOf(window: keyof Pick<Account, 'perMinute' | 'perDay'>) {
  return (context: ExecutionContext): number =>
    (context.switchToHttp().getRequest<AccountRequest>().account ?? ANONYMOUS)[window];
}
