import { Injectable } from '@nestjs/common';
import { Database, OldRows, throwErrors } from '../database/index.js';
import { Env, RecurringTask } from '../platform/index.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

const INTERVAL_MS = 60_000;
/** Maximum number of orders that one run cancels. */
const MAX_ORDERS = 500;
const HOUR_MS = 3_600_000;

/** Cancels orders that nobody approved in time, so that they do not reserve pets for good. */
@Injectable()
export class OrderExpiry extends RecurringTask {
  /** Where the next run begins; undefined for the oldest orders. Those that cannot be cancelled do not come first again. */
  private after: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly oldRows: OldRows,
    private readonly repository: OrdersRepository,
    private readonly orders: OrdersService,
    private readonly env: Env,
  ) {
    super('cancelling expired orders', INTERVAL_MS, (stop) => this.cancelExpired(stop));
  }

  private async cancelExpired(stop: AbortSignal): Promise<void> {
    const { ORDER_EXPIRY_HOURS: hours } = this.env;
    const nowMs = hours === 0 ? undefined : await this.oldRows.nowMs();
    if (nowMs === undefined) return;
    const beforeMs = nowMs - hours * HOUR_MS;
    const request = { limit: MAX_ORDERS, after: this.after };
    const page = await this.database.read((manager) => this.repository.placedBefore(manager, beforeMs, request));
    this.after = page.nextAfter?.toString();
    const errors: unknown[] = [];
    for (const { id, accountId } of page.items) {
      if (stop.aborted) break;
      await this.orders.expire({ accountId, id: String(id) }).catch((cause: unknown) => errors.push(cause));
    }
    throwErrors(errors);
  }
}
