import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Precondition } from '../conditional/index.js';
import { Clock } from '../config/index.js';
import { cutPage, Database } from '../database/index.js';
import { ApiError } from '../errors/index.js';
import { PetsService } from '../pets/index.js';
import type { ListOrdersQuery } from './list-orders.query.js';
import type { Order } from './order.dto.js';
import { orderNotFound } from './order-not-found.js';
import { insertOrder, lockOrder, type OrderKey, type OrderRow, selectOrder, selectOrders, updateOrder } from './order-sql.js';
import { nextStatuses, type OrderStatus } from './order-status.js';

/** Keeps the orders. To an account there are no others than its own. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly database: Database,
    private readonly pets: PetsService,
    private readonly clock: Clock,
  ) {}

  /** A page of an account's orders; `nextAfter` is the identifier after which the next one begins, if there is one. */
  async list(accountId: number, query: ListOrdersQuery): Promise<{ orders: Order[]; nextAfter: number | undefined }> {
    const rows = await this.database.read((manager) => selectOrders(manager, accountId, query));
    const { page, nextAfter } = cutPage(rows, query.limit);
    return { orders: page.map(toOrder), nextAfter };
  }

  /** @throws (rejects) ApiError `order_not_found` */
  async get(key: OrderKey): Promise<Order> {
    return toOrder(found(key, await this.database.read((manager) => selectOrder(manager, key))));
  }

  /**
   * Orders an available pet, within a transaction of the caller's: it becomes pending.
   * @param petId decimal digits
   * @throws (rejects) ApiError `pet_not_found` or `pet_not_available`
   */
  async placeIn(manager: EntityManager, accountId: number, petId: string): Promise<Order> {
    await this.pets.holdIn(manager, petId);
    // The pet is there, so its identifier is one that the service gave, and a number holds it exactly.
    return toOrder(await insertOrder(manager, { accountId, petId: Number(petId), status: 'placed', createdAt: this.clock.nowMs() }));
  }

  /**
   * Moves an order on, and with it the pet: delivered, it is sold; cancelled, it is available again.
   * @throws (rejects) ApiError `order_not_found`, `precondition_failed` or `invalid_status_transition`
   */
  move(key: OrderKey, to: OrderStatus, precondition: Precondition): Promise<Order> {
    return this.database.write(async (manager) => {
      const row = found(key, await lockOrder(manager, key));
      precondition.check(JSON.stringify(toOrder(row)));
      if (row.status === to) return toOrder(row);
      checkTransition(row, to);
      await updateOrder(manager, row.id, to);
      if (to === 'delivered') await this.pets.sellIn(manager, String(row.petId));
      if (to === 'cancelled') await this.pets.releaseIn(manager, String(row.petId));
      return toOrder({ ...row, status: to });
    });
  }
}

function found({ id }: OrderKey, row: OrderRow | undefined): OrderRow {
  if (row === undefined) throw orderNotFound(id);
  return row;
}

function checkTransition({ status }: OrderRow, to: OrderStatus): void {
  const next = nextStatuses(status);
  if (next.includes(to)) return;
  const possible = next.length === 0 ? 'stays so' : `can become ${next.join(' or ')}`;
  throw new ApiError('invalid_status_transition', `An order that is ${status} ${possible}; it cannot become ${to}.`);
}

function toOrder({ id, petId, status, createdAt }: OrderRow): Order {
  return { id, petId, status, createdAt: new Date(createdAt).toISOString() };
}
