import { Injectable } from '@nestjs/common';
import { type EntityManager, LessThan } from 'typeorm';
import { forUpdate, lockUntilCommit, type Page, type PageRequest, query, readPage } from '../kernel.js';
import type { ListOrdersQuery } from './order.dto.js';
import { OrderEntity } from './order.entity.js';

/** An order of an account; `id` is decimal digits. */
export interface OrderKey {
  readonly accountId: number;
  readonly id: string;
}

const COLUMNS = '"id", "account_id" AS "accountId", "pet_id" AS "petId", "status", "created_at" AS "createdAt"';
/** SQL, because an identifier in a path can be any int64. */
const SELECT_ONE = `SELECT ${COLUMNS} FROM "orders" WHERE "account_id" = ? AND "id" = CAST(? AS BIGINT)`;

@Injectable()
export class OrdersRepository {
  /** Orders of an account in ascending order of `id`. */
  page(manager: EntityManager, accountId: number, { status, ...page }: ListOrdersQuery): Promise<Page<OrderEntity>> {
    const orders = manager.createQueryBuilder(OrderEntity, 'order').where({ accountId });
    if (status !== undefined) orders.andWhere({ status });
    return readPage(orders, { id: 'ASC' }, page);
  }

  async find(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderEntity | undefined> {
    return (await query<OrderEntity>(manager, SELECT_ONE, [accountId, id]))[0];
  }

  async lock(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderEntity | undefined> {
    return (await query<OrderEntity>(manager, `${SELECT_ONE}${forUpdate(manager, 'orders')}`, [accountId, id]))[0];
  }

  /** Inserts an order. Orders of an account become visible in ascending order of `id`, so that paging misses none. */
  async insert(manager: EntityManager, order: Omit<OrderEntity, 'id'>): Promise<OrderEntity> {
    await lockUntilCommit(manager, `orders ${order.accountId}`);
    const inserted = manager.create(OrderEntity, order);
    await manager.insert(OrderEntity, inserted);
    return inserted;
  }

  /** Orders that are still placed, oldest first. */
  placedBefore(manager: EntityManager, beforeMs: number, request: PageRequest): Promise<Page<OrderEntity>> {
    const where = { status: 'placed', createdAt: LessThan(beforeMs) } as const;
    const orders = manager.createQueryBuilder(OrderEntity, 'order').where(where);
    return readPage(orders, { createdAt: 'ASC' }, request);
  }
}
