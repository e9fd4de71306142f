import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { forUpdate, lockUntilCommit, type Page, query, readPage } from '../database/index.js';
import type { ListOrdersQuery } from './order.dto.js';
import { OrderEntity, type OrderStatus } from './order.entity.js';

/** A row of the table of orders. */
export type OrderRow = Pick<OrderEntity, 'id' | 'petId' | 'status' | 'createdAt'>;

/** An order of an account; `id` is decimal digits. */
export interface OrderKey {
  readonly accountId: number;
  readonly id: string;
}

const COLUMNS = '"id", "pet_id" AS "petId", "status", "created_at" AS "createdAt"';
const SELECT_ONE = `SELECT ${COLUMNS} FROM "orders" WHERE "account_id" = ? AND "id" = CAST(? AS BIGINT)`;

/** All queries of orders. Those of a single order are SQL, because an identifier in a path can be any int64. */
@Injectable()
export class OrdersRepository {
  /** Orders of an account in ascending order of `id`. */
  page(manager: EntityManager, accountId: number, { status, ...page }: ListOrdersQuery): Promise<Page<OrderRow>> {
    const orders = manager.createQueryBuilder(OrderEntity, 'order').where({ accountId });
    if (status !== undefined) orders.andWhere({ status });
    return readPage(orders, { id: 'ASC' }, page);
  }

  async find(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderRow | undefined> {
    const [row] = await query<OrderRow>(manager, SELECT_ONE, [accountId, id]);
    return row;
  }

  /** An order that is locked until the transaction ends. */
  async lock(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderRow | undefined> {
    const [row] = await query<OrderRow>(manager, `${SELECT_ONE}${forUpdate(manager, 'orders')}`, [accountId, id]);
    return row;
  }

  /** Inserts an order. Orders of an account become visible in ascending order of `id`, so that paging misses none. */
  async insert(manager: EntityManager, order: Omit<OrderEntity, 'id'>): Promise<OrderRow> {
    const { accountId, petId, status, createdAt } = order;
    await lockUntilCommit(manager, `orders ${accountId}`);
    const sql = `INSERT INTO "orders" ("account_id", "pet_id", "status", "created_at") VALUES (?, ?, ?, ?) RETURNING ${COLUMNS}`;
    const [row] = await query<OrderRow>(manager, sql, [accountId, petId, status, createdAt]);
    return row as OrderRow;
  }

  async updateStatus(manager: EntityManager, id: number, status: OrderStatus): Promise<void> {
    await query(manager, 'UPDATE "orders" SET "status" = ? WHERE "id" = ?', [status, id]);
  }
}
