export { WebhookEntity } from './webhook.entity.js';
export { WebhooksModule } from './webhooks.module.js';
