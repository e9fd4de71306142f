import { Injectable } from '@nestjs/common';
import { Database, OldRows, throwErrors, RecurringTask } from '../kernel.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

const INTERVAL_MS = 60_000;
const MAX_ORDERS = 500;

/** Cancels orders that nobody approved in time, so that they do not reserve pets for good. */
@Injectable()
export class OrderExpiry extends RecurringTask {
  constructor(database: Database, oldRows: OldRows, repository: OrdersRepository, orders: OrdersService) {
    // Where the next run begins, so that orders that cannot be cancelled do not come first again.
    let after: string | undefined;
    super(
      'cancelling expired orders',
      INTERVAL_MS,
      async (stop) => {
        const { expiryMs } = orders;
        const nowMs = expiryMs === 0 ? undefined : await oldRows.nowMs();
        if (nowMs === undefined) return;
        const page = { limit: MAX_ORDERS, after };
        const { items, nextAfter } = await repository.placedBefore(database.manager, nowMs - expiryMs, page);
        after = nextAfter?.toString();
        const errors: unknown[] = [];
        for (const { id, accountId } of items) {
          if (stop.aborted) break;
          await orders.expire({ accountId, id: String(id) }).catch((error: unknown) => errors.push(error));
        }
        throwErrors(errors);
      },
      { restsWhenIdle: () => true },
    );
  }
}
