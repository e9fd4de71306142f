import { Body, Controller, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller, Env, Idempotent, IfMatch, PathId, Precondition, Revalidates } from '../kernel.js';
import { created, Operation, OperationGroup, pageOf, resource, UNKNOWN_ID } from '../kernel.js';
import { publicAddress, type ResponseBody, sendCreated, sendPage, sendWithEtag } from '../kernel.js';
import { petNotAvailable, petNotFound } from '../pets/index.js';
import { ListOrdersQuery, Order, OrderCreation, OrderChange } from './order.dto.js';
import { invalidTransition, orderNotFound, OrdersService } from './orders.service.js';

const OrderId = () => PathId('orderId', { description: 'Identifier of the order.', notFound: orderNotFound });

const CREATED = { id: 1, petId: 1, status: 'placed', createdAt: '2026-11-21T12:00:00.000Z' };
const ORDER = { ...CREATED, expiresAt: '2026-11-24T12:00:00.000Z' };
const APPROVED = { ...CREATED, status: 'approved' };

@OperationGroup('Store', 'Orders of the calling account.')
@Controller('store/orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly env: Env,
  ) {}

  @Post()
  @Operation({
    id: 'placeOrder',
    summary: 'Place an order',
    description:
      'Reserves a pet. The pet must be available and becomes pending. Of several concurrent orders for a pet, one succeeds. ' +
      'An order that is still placed at its `expiresAt`, by default 72 hours later, is cancelled.',
    scope: 'orders:write',
    stability: 'experimental',
    bodyExamples: { 'For a pet': { petId: 1 } },
    success: created(Order, 'The new order.', { 'A placed order': ORDER }),
    errors: [petNotFound(UNKNOWN_ID), petNotAvailable(String(ORDER.petId))],
  })
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
  @Operation({
    id: 'listOrders',
    summary: 'List orders',
    description:
      'Returns the orders of the calling account in ascending order of `id`. `Link` points to the next page (`rel="next"`).',
    scope: 'orders:read',
    stability: 'experimental',
    success: pageOf(Order, 'Orders', 'A page of orders.', { 'One order': [ORDER], 'No matching order': [] }),
  })
  @Revalidates('Link')
  async listOrders(
    @Query() query: ListOrdersQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/store/orders'), query, await this.orders.list(accountId, query));
  }

  @Get(':orderId')
  @Operation({
    id: 'getOrder',
    summary: 'Get an order',
    description: 'An order of another account returns 404.',
    scope: 'orders:read',
    stability: 'experimental',
    success: resource(Order, 'The order.', { 'A placed order': ORDER }),
    errors: [orderNotFound(UNKNOWN_ID)],
  })
  @Revalidates()
  async getOrder(
    @OrderId() id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.orders.get({ accountId, id })));
  }

  @Patch(':orderId')
  @Operation({
    id: 'changeOrder',
    summary: 'Change the status of an order',
    description:
      'Transitions: placed to approved, approved to delivered, and placed or approved to cancelled. Delivery makes the pet sold, ' +
      'cancellation makes it available. Setting the current status changes nothing.',
    scope: 'orders:write',
    stability: 'experimental',
    bodyExamples: { Approve: { status: 'approved' }, Deliver: { status: 'delivered' } },
    success: resource(Order, 'The changed order.', { 'An approved order': APPROVED }),
    errors: [orderNotFound(UNKNOWN_ID), invalidTransition('placed', 'delivered')],
  })
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
