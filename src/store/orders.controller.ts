import { Body, Controller, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type Caller,
  CurrentCaller,
  IfMatch,
  Precondition,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPage,
  sendWithEtag,
  publicAddress,
  Idempotent,
  PathId,
  Env,
  Operation,
  OperationGroup,
} from '../kernel.js';
import { ListOrdersQuery, OrderCreation, OrderChange } from './order.dto.js';
import { CHANGE_ORDER, GET_ORDER, LIST_ORDERS, PLACE_ORDER } from './orders.operations.js';
import { orderNotFound, OrdersService } from './orders.service.js';

const OrderId = () => PathId('orderId', { description: 'Identifier of the order.', notFound: orderNotFound });

@OperationGroup('Store', 'Orders of the calling account.')
@Controller('store/orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly env: Env,
  ) {}

  @Post()
  @Operation(PLACE_ORDER)
  @Idempotent()
  async placeOrder(
    @Body() { petId }: OrderCreation,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const order = await this.orders.place(accountId, String(petId));
    return sendCreated(reply, publicAddress(this.env, '/store/orders'), order);
  }

  @Get()
  @Operation(LIST_ORDERS)
  @Revalidates('Link')
  async listOrders(
    @Query() query: ListOrdersQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/store/orders'), query, await this.orders.list(accountId, query));
  }

  @Get(':orderId')
  @Operation(GET_ORDER)
  @Revalidates()
  async getOrder(
    @OrderId() id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.orders.get({ accountId, id })));
  }

  @Patch(':orderId')
  @Operation(CHANGE_ORDER)
  async changeOrder(
    @OrderId() id: string,
    @Body() { status }: OrderChange,
    @IfMatch() precondition: Precondition,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.orders.move({ accountId, id }, status, precondition)));
  }
}
