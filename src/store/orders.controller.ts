import { Controller, Get, Patch, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../auth/index.js';
import { answerWithEtag, etagOf, IfMatch, Precondition, Revalidates } from '../conditional/index.js';
import { Env } from '../config/index.js';
import { nextPageLink, publicAddress } from '../http/index.js';
import { type Attempt, CurrentAttempt, Idempotency } from '../idempotency/index.js';
import { Operation, OperationGroup } from '../openapi/index.js';
import { JsonBody, PathId, StrictQuery } from '../validation/index.js';
import { ListOrdersQuery } from './list-orders.query.js';
import { NewOrder, OrderChange } from './order.dto.js';
import { orderNotFound } from './order-not-found.js';
import { CHANGE_ORDER, GET_ORDER, LIST_ORDERS, NEW_ORDERS, ORDER_CHANGES, PLACE_ORDER } from './orders.operations.js';
import { OrdersService } from './orders.service.js';

/** JSON as it goes over the wire; nothing where the client has it already. */
type Answered = string | undefined;

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
    return this.idempotency.answer(attempt, async (manager) => {
      const order = await this.orders.placeIn(manager, accountId, String(petId));
      const json = JSON.stringify(order);
      return { headers: { Location: `${this.address}/${order.id}`, ETag: etagOf(json) }, body: json };
    });
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
    if (nextAfter !== undefined) reply.header('Link', nextPageLink(this.address, query, nextAfter));
    const json = JSON.stringify(orders);
    // What was the last page has the same orders when it gets a next one, but not the same Link.
    return answerWithEtag(reply, json, etagOf(`${json}${nextAfter ?? ''}`));
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
