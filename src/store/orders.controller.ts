import { Controller, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { type Answered, answerPage, answerWithEtag, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { publicAddress } from '../http/index.js';
import { type Attempt, created, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, PathId, StrictQuery } from '../validation/index.js';
import { ListOrdersQuery } from './list-orders.query.js';
import { NewOrder, OrderChange } from './order.dto.js';
import { orderNotFound } from './order-not-found.js';
import { CHANGE_ORDER, GET_ORDER, LIST_ORDERS, NEW_ORDERS, ORDER_CHANGES, PLACE_ORDER } from './orders.operations.js';
import { OrdersService } from './orders.service.js';

const OrderId = () => PathId('orderId', { description: "The order's identifier.", notFound: orderNotFound });

@OperationGroup('Store', 'Orders of the calling account.')
@Controller('store/orders')
export class OrdersController {
  private readonly address: string;

  constructor(
    private readonly orders: OrdersService,
    private readonly idempotency: Idempotency,
    env: Env,
  ) {
    this.address = publicAddress(env, '/store/orders');
  }

  @Post()
  @Operation(PLACE_ORDER)
  placeOrder(
    @JsonBody(NewOrder, NEW_ORDERS) { petId }: NewOrder,
    @CurrentCaller() { accountId }: Caller,
    @CurrentAttempt() attempt: Attempt,
  ): Promise<string> {
    return this.idempotency.answer(attempt, async (manager) => created(this.address, await this.orders.placeIn(manager, accountId, String(petId))));
  }

  @Get()
  @Operation(LIST_ORDERS)
  @Revalidates('Link')
  async listOrders(
    @StrictQuery(ListOrdersQuery) query: ListOrdersQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    const { orders, nextAfter } = await this.orders.list(accountId, query);
    return answerPage(reply, this.address, query, { json: JSON.stringify(orders), nextAfter });
  }

  @Get(':orderId')
  @Operation(GET_ORDER)
  @Revalidates()
  async getOrder(
    @OrderId() id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return answerWithEtag(reply, JSON.stringify(await this.orders.get({ accountId, id })));
  }

  @Patch(':orderId')
  @Operation(CHANGE_ORDER)
  async changeOrder(
    @OrderId() id: string,
    @JsonBody(OrderChange, ORDER_CHANGES) { status }: OrderChange,
    @IfMatch() precondition: Precondition,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answered> {
    return answerWithEtag(reply, JSON.stringify(await this.orders.move({ accountId, id }, status, precondition)));
  }
}
