import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { Clock, Env, RecurringTask } from '../platform/index.js';
import { OrdersRepository } from './orders.repository.js';
import { OrdersService } from './orders.service.js';

const INTERVAL_MS = 60_000;
/** Maximum number of orders that one run cancels. */
const MAX_ORDERS = 500;
const HOUR_MS = 3_600_000;

/** Cancels orders that nobody approved in time, so that they do not reserve pets for good. */
@Injectable()
export class OrderExpiry extends RecurringTask {
  constructor(database: Database, clock: Clock, repository: OrdersRepository, orders: OrdersService, env: Env) {
    super('cancelling expired orders', INTERVAL_MS, async () => {
      const { ORDER_EXPIRY_HOURS: hours } = env;
      if (hours === 0) return;
      const beforeMs = clock.nowMs() - hours * HOUR_MS;
      const expired = await database.read((manager) => repository.placedBefore(manager, beforeMs, MAX_ORDERS));
      for (const { id, accountId } of expired) await orders.expire({ accountId, id: String(id) });
    });
  }
}
