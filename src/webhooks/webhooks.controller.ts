import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller, Deliveries, Env, IfMatch, PathId, Precondition } from '../kernel.js';
import { RefuseIdempotencyKey, Revalidates } from '../kernel.js';
import { Operation, OperationGroup, publicAddress, type ResponseBody, sendPage, sendWithEtag } from '../kernel.js';
import { deliveryJson, ListDeliveriesQuery, type RepeatedDeliveries, WebhookReplay } from './delivery.dto.js';
import { type IssuedWebhook, ListWebhooksQuery, WebhookChange, WebhookCreation } from './webhook.dto.js';
import { WebhookRotation, type WebhookTest } from './webhook.dto.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import * as operations from './webhooks.operations.js';
import { subscriptionName, webhookNotFound } from './webhook-rules.js';
import { WebhooksService } from './webhooks.service.js';

const DAY_SECONDS = 86_400;
const WebhookId = () => PathId('webhookId', { description: 'Identifier of the webhook.', notFound: webhookNotFound });

@OperationGroup('Webhooks', 'Receivers to which the service posts events.')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly delivering: WebhookDeliveries,
    private readonly deliveries: Deliveries,
    private readonly env: Env,
  ) {}

  @Post()
  @Operation(operations.CREATE_WEBHOOK)
  @RefuseIdempotencyKey()
  async createWebhook(
    @Body() creation: WebhookCreation,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedWebhook> {
    const issued = await this.webhooks.create(caller, creation);
    reply.header('location', `${publicAddress(this.env, '/webhooks')}/${issued.id}`);
    return shownOnce(reply, issued);
  }

  @Get()
  @Operation(operations.LIST_WEBHOOKS)
  @Revalidates('Link')
  async listWebhooks(
    @Query() query: ListWebhooksQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const page = await this.webhooks.list(accountId, query);
    return sendPage(reply, publicAddress(this.env, '/webhooks'), query, page);
  }

  @Get(':webhookId')
  @Operation(operations.GET_WEBHOOK)
  @Revalidates()
  async getWebhook(
    @WebhookId() id: string,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    return sendWithEtag(reply, JSON.stringify(await this.webhooks.get({ accountId, id })));
  }

  @Patch(':webhookId')
  @Operation(operations.CHANGE_WEBHOOK)
  async changeWebhook(
    @WebhookId() id: string,
    @Body() change: WebhookChange,
    @IfMatch() precondition: Precondition,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const key = { accountId: caller.accountId, id };
    return sendWithEtag(reply, JSON.stringify(await this.webhooks.change(caller, key, change, precondition)));
  }

  @Delete(':webhookId')
  @Operation(operations.REMOVE_WEBHOOK)
  async removeWebhook(
    @WebhookId() id: string,
    @IfMatch() precondition: Precondition,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<void> {
    await this.webhooks.remove({ accountId, id }, precondition);
  }

  @Post(':webhookId/rotate')
  @Operation(operations.ROTATE_WEBHOOK)
  @RefuseIdempotencyKey()
  async rotateWebhook(
    @WebhookId() id: string,
    @Body() { overlapSeconds = DAY_SECONDS }: WebhookRotation,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedWebhook> {
    return shownOnce(reply, await this.webhooks.rotate({ accountId, id }, overlapSeconds));
  }

  @Post(':webhookId/test')
  @Operation(operations.TEST_WEBHOOK)
  testWebhook(@WebhookId() id: string, @CurrentCaller() { accountId }: Caller): Promise<WebhookTest> {
    return this.delivering.test({ accountId, id });
  }

  @Get(':webhookId/deliveries')
  @Operation(operations.LIST_DELIVERIES)
  @Revalidates('Link')
  async listDeliveries(
    @WebhookId() id: string,
    @Query() query: ListDeliveriesQuery,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const name = subscriptionName(await this.webhooks.get({ accountId, id }));
    const { items, nextAfter } = await this.deliveries.page(name, query, query.state);
    const address = publicAddress(this.env, `/webhooks/${id}/deliveries`);
    return sendPage(reply, address, query, { items: items.map(deliveryJson), nextAfter });
  }

  @Post(':webhookId/replay')
  @Operation(operations.REPLAY_DELIVERIES)
  async replayDeliveries(
    @WebhookId() id: string,
    @Body() { since, state = 'failed' }: WebhookReplay,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<RepeatedDeliveries> {
    return { repeated: await this.delivering.repeat({ accountId, id }, state, since) };
  }
}

function shownOnce<T>(reply: FastifyReply, body: T): T {
  reply.header('cache-control', 'no-store');
  return body;
}
