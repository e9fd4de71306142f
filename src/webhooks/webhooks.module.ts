import { Module } from '@nestjs/common';
import { EventDeliveryModule, EventsModule } from '../kernel.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Posts events to receivers of accounts. */
@Module({
  imports: [EventsModule, EventDeliveryModule],
  controllers: [WebhooksController],
  providers: [WebhookAddresses, WebhookDeliveries, WebhookSecrets, WebhookSender, WebhooksService],
})
export class WebhooksModule {}
