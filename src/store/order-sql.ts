import type { EntityManager } from 'typeorm';
import { forUpdate, lockUntilCommit, query } from '../database/index.js';
import type { ListOrdersQuery } from './list-orders.query.js';
import type { OrderEntity } from './order.entity.js';
import type { OrderStatus } from './order-status.js';

/** An order as the database answers it. */
export type OrderRow = Pick<OrderEntity, 'id' | 'petId' | 'status' | 'createdAt'>;

/** Which order of which account; `id` is decimal digits. */
export interface OrderKey {
  readonly accountId: number;
  readonly id: string;
}

const COLUMNS = '"id", "pet_id" AS "petId", "status", "created_at" AS "createdAt"';
const SELECT_ONE = `SELECT ${COLUMNS} FROM "orders" WHERE "account_id" = ? AND "id" = CAST(? AS BIGINT)`;

/** Orders of an account in ascending order of their identifiers, one more than the limit where there are more. */
export function selectOrders(manager: EntityManager, accountId: number, { limit, status, after }: ListOrdersQuery): Promise<OrderRow[]> {
  const ofStatus = status === undefined ? '' : 'AND "status" = ? ';
  const sql = `SELECT ${COLUMNS} FROM "orders" WHERE "account_id" = ? ${ofStatus}AND "id" > CAST(? AS BIGINT) ORDER BY "id" LIMIT ?`;
  return query(manager, sql, [accountId, ...(status === undefined ? [] : [status]), after ?? '0', limit + 1]);
}

export async function selectOrder(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderRow | undefined> {
  const [row] = await query<OrderRow>(manager, SELECT_ONE, [accountId, id]);
  return row;
}

/** An order that nobody else can change until the transaction ends. */
export async function lockOrder(manager: EntityManager, { accountId, id }: OrderKey): Promise<OrderRow | undefined> {
  const sql = `${SELECT_ONE}${forUpdate(manager, 'orders')}`;
  const [row] = await query<OrderRow>(manager, sql, [accountId, id]);
  return row;
}

/** Adds an order; those of an account become visible in the order of their identifiers, so that paging misses none. */
export async function insertOrder(manager: EntityManager, order: Omit<OrderEntity, 'id'>): Promise<OrderRow> {
  const { accountId, petId, status, createdAt } = order;
  await lockUntilCommit(manager, `orders ${accountId}`);
  const sql = `INSERT INTO "orders" ("account_id", "pet_id", "status", "created_at") VALUES (?, ?, ?, ?) RETURNING ${COLUMNS}`;
  const [row] = await query<OrderRow>(manager, sql, [accountId, petId, status, createdAt]);
  return row as OrderRow;
}

export async function updateOrder(manager: EntityManager, id: number, status: OrderStatus): Promise<void> {
  await query(manager, 'UPDATE "orders" SET "status" = ? WHERE "id" = ?', [status, id]);
}
