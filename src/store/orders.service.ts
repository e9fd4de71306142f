import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Change, Page, Precondition } from '../kernel.js';
import { Clock, Database, DomainError, Env, Events, notFound, orFail, rfc3339, runAs } from '../kernel.js';
import { PetsService } from '../pets/index.js';
import { type ListOrdersQuery, Order } from './order.dto.js';
import { nextStatuses, OrderEntity, type OrderStatus } from './order.entity.js';
import { type OrderKey, OrdersRepository } from './orders.repository.js';

export interface OrderEvents {
  'order.placed': Change<undefined, OrderEntity>;
  'order.approved': Change<OrderEntity, OrderEntity>;
  'order.delivered': Change<OrderEntity, OrderEntity>;
  'order.cancelled': Change<OrderEntity, OrderEntity>;
}

declare module '../kernel.js' {
  interface EventMap extends OrderEvents {}
}

const HOUR_MS = 3_600_000;
const MOVED = { approved: 'order.approved', delivered: 'order.delivered', cancelled: 'order.cancelled' } as const;

/** Orders; an account sees only its own. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrdersRepository,
    private readonly pets: PetsService,
    private readonly clock: Clock,
    private readonly events: Events,
    private readonly env: Env,
  ) {
    events.declare({
      types: {
        'order.placed': 'An order was placed, and its pet is pending.',
        'order.approved': 'An order was approved.',
        'order.delivered': 'An order was delivered, and its pet is sold.',
        'order.cancelled': 'An order was cancelled, or not approved in time, and its pet is available.',
      },
      scope: 'orders:read',
      subject: ({ id }) => `order:${id}`,
      data: (row) => this.toOrder(row),
      schema: Order,
      example: {
        subject: 'order:1',
        data: {
          id: 1,
          petId: 7,
          status: 'placed',
          createdAt: '2026-11-21T12:00:00.000Z',
          expiresAt: '2026-11-24T12:00:00.000Z',
        },
      },
    });
  }

  /** How long an order can be `placed`; 0 for as long as nobody changes it. */
  get expiryMs(): number {
    return this.env.ORDER_EXPIRY_HOURS * HOUR_MS;
  }

  async list(accountId: number, query: ListOrdersQuery): Promise<Page<Order>> {
    const { items, nextAfter } = await this.orders.page(this.database.manager, accountId, query);
    return { items: items.map((row) => this.toOrder(row)), nextAfter };
  }

  /** @throws (rejects) DomainError `order_not_found` */
  async get(key: OrderKey): Promise<Order> {
    return this.toOrder(orFail(await this.orders.find(this.database.manager, key), orderNotFound, key.id));
  }

  /**
   * Places an order for an available pet, which becomes pending.
   * @param petId decimal digits
   * @throws (rejects) DomainError `pet_not_found` or `pet_not_available`
   */
  place(accountId: number, petId: string): Promise<Order> {
    return this.database.write(async (manager) => {
      await this.pets.reserve(petId);
      // The pet exists, so its identifier was assigned by the service and is a safe integer.
      const order = { accountId, petId: Number(petId), status: 'placed', createdAt: this.clock.nowMs() } as const;
      const row = await this.orders.insert(manager, order);
      await this.events.raise(manager, 'order.placed', () => ({ before: undefined, after: row }), accountId);
      return this.toOrder(row);
    });
  }

  /**
   * Changes the status of an order, and of its pet: delivered means sold, cancelled means available.
   * @throws (rejects) DomainError `order_not_found`, `precondition_failed` or `invalid_status_transition`, also if
   * a pet to deliver is not reserved any more
   */
  move(key: OrderKey, to: OrderStatus, precondition: Precondition): Promise<Order> {
    return this.database.write(async (manager) => {
      const row = orFail(await this.orders.lock(manager, key), orderNotFound, key.id);
      precondition.check(JSON.stringify(this.toOrder(row)));
      if (row.status === to) return this.toOrder(row);
      checkTransition(row, to);
      return this.toOrder(await this.change(manager, row, to));
    });
  }

  /** Cancels an order, unless it was approved, ended or cancelled by another instance meanwhile. */
  async expire(key: OrderKey): Promise<void> {
    await this.database.write(async (manager) => {
      const row = await this.orders.lock(manager, key);
      if (row?.status === 'placed') await runAs('order-expiry', () => this.change(manager, row, 'cancelled'));
    });
  }

  private async change(manager: EntityManager, row: OrderEntity, to: keyof typeof MOVED): Promise<OrderEntity> {
    await manager.update(OrderEntity, row.id, { status: to });
    if (to === 'delivered') await this.pets.sell(String(row.petId));
    if (to === 'cancelled') await this.pets.release(String(row.petId));
    const after = { ...row, status: to };
    await this.events.raise(manager, MOVED[to], () => ({ before: row, after }), row.accountId);
    return after;
  }

  private toOrder({ id, petId, status, createdAt }: OrderEntity): Order {
    const expires = this.expiryMs > 0 && status === 'placed';
    return {
      id,
      petId,
      status,
      createdAt: rfc3339(createdAt),
      ...(expires && { expiresAt: rfc3339(createdAt + this.expiryMs) }),
    };
  }
}

export function orderNotFound(orderId?: string): DomainError {
  return notFound('order_not_found', 'The account has no order', orderId);
}

function checkTransition({ status }: OrderEntity, to: OrderStatus): asserts to is keyof typeof MOVED {
  if (!nextStatuses(status).includes(to)) throw invalidTransition(status, to);
}

export function invalidTransition(from: OrderStatus, to: OrderStatus): DomainError {
  const next = nextStatuses(from);
  const possible = next.length === 0 ? 'is final' : `can become ${next.join(' or ')}`;
  return new DomainError(
    'invalid_status_transition',
    `An order with the status ${from} ${possible}. It cannot become ${to}.`,
  );
}
