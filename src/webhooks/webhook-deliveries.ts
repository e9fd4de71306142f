import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActiveKeys, type Caller, Clock, Database, Deliveries, DeliveryWorker, EventTypes } from '../kernel.js';
import { type LoggedEvent, rfc3339 } from '../kernel.js';
import type { Subscription, SubscriptionSource } from '../kernel.js';
import { eventJson } from '../event-feed/index.js';
import type { WebhookTest } from './webhook.dto.js';
import { WebhookEntity } from './webhook.entity.js';
import { ReceiverGone, WebhookSender } from './webhook-sender.js';
import { reasonOf, subscriptionName } from './webhook-rules.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { type WebhookKey, WebhooksService } from './webhooks.service.js';

const TEST_TYPE = 'webhook.test';
const AT_ONCE = 4;
const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
const RETRY_AFTER_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];
/** By another process, or of a key. */
const MAX_AGE_MS = 1_000;
/** A receiver that fails for so long is disabled. */
const MOST_FAILING_MS = 72 * HOUR_MS;
/** Longer than any wait between two attempts. */
const PAUSE_MS = 28 * HOUR_MS;
const NOT_INCLUDED = 'The key or the types of the webhook no longer include this event.';

interface CachedSubscriptions {
  readonly subscriptions: readonly Subscription[];
  readonly untilMs: number;
  /** Of keys and webhooks. */
  readonly version: number;
}

/** Delivers events to the webhooks whose key is active. */
@Injectable()
export class WebhookDeliveries implements OnModuleInit, SubscriptionSource {
  private read: CachedSubscriptions | undefined;
  private changes = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly keys: ActiveKeys,
    private readonly types: EventTypes,
    private readonly worker: DeliveryWorker,
    private readonly deliveries: Deliveries,
    private readonly webhooks: WebhooksService,
    private readonly secrets: WebhookSecrets,
    private readonly sender: WebhookSender,
  ) {}

  onModuleInit(): void {
    this.worker.addSource(this, 'webhook');
    this.webhooks.changed.subscribe(() => {
      this.read = undefined;
      this.changes += 1;
      this.worker.wake();
    });
  }

  /** Read once a second and after changes, because the worker asks after each commit. */
  async subscriptions(anew = false): Promise<readonly Subscription[]> {
    if (!anew && this.read !== undefined && (await this.isCurrent(this.read))) return this.read.subscriptions;
    const { changes } = this;
    const untilMs = performance.now() + MAX_AGE_MS;
    const version = await this.keys.version();
    const read = { untilMs, version, subscriptions: await this.readSubscriptions() };
    // A change meanwhile may not be in it, nor what a later one has read.
    if (changes === this.changes && read.untilMs > (this.read?.untilMs ?? 0)) this.read = read;
    return read.subscriptions;
  }

  /** Without any, nothing can be skipped: the next read finds new ones. */
  private async isCurrent({ subscriptions, untilMs, version }: CachedSubscriptions): Promise<boolean> {
    if (performance.now() >= untilMs) return false;
    return subscriptions.length === 0 || (await this.keys.version()) === version;
  }

  private async readSubscriptions(): Promise<Subscription[]> {
    const enabled = await this.database.manager.findBy(WebhookEntity, { state: 'enabled' });
    const callers = await this.keys.find(enabled.map(({ keyId }) => keyId));
    return enabled.flatMap((webhook) => {
      const caller = callers.get(webhook.keyId);
      return caller === undefined ? [] : this.subscriptionOf(webhook, caller);
    });
  }

  async test(key: WebhookKey): Promise<WebhookTest> {
    const webhook = await this.webhooks.find(this.database.manager, key);
    const event = { id: randomUUID(), type: TEST_TYPE, subject: `webhook:${webhook.id}` };
    const body = JSON.stringify({ ...event, createdAt: rfc3339(this.clock.nowMs()), data: {} });
    try {
      await this.sender.send(webhook.url, event.id, body, this.secretsOf(webhook));
      return { delivered: true };
    } catch (error) {
      return { delivered: false, error: reasonOf(error) };
    }
  }

  /** @returns how many deliveries are repeated */
  async repeat(key: WebhookKey, state: 'failed' | 'delivered', since: Date): Promise<number> {
    const webhook = await this.webhooks.find(this.database.manager, key);
    const repeated = await this.deliveries.repeat(subscriptionName(webhook), state, since.getTime());
    this.worker.wake();
    return repeated;
  }

  private subscriptionOf(webhook: WebhookEntity, { accountId, scopes }: Caller): Subscription[] {
    // An extension may have been removed, and its types with it.
    const types = this.types.find(webhook.types.split(','));
    const readable = types.filter(({ scope }) => scopes.has(scope)).map(({ name }) => name);
    if (readable.length === 0) return [];
    return [
      {
        name: subscriptionName(webhook),
        filter: { types: readable, accountId },
        atOnce: AT_ONCE,
        retryAfterMs: RETRY_AFTER_MS,
        keepsDelivered: true,
        isFailing: webhook.failingSince !== null,
        refusalOf: ({ type }) =>
          readable.includes(type) || this.types.get(type) === undefined ? undefined : NOT_INCLUDED,
        handle: (event) => this.deliver(webhook, event),
      },
    ];
  }

  private async deliver(webhook: WebhookEntity, event: LoggedEvent): Promise<void> {
    // Only a later version knows which scope it needs: that of the instance that added the delivery.
    if (this.types.get(event.type) === undefined)
      throw new Error('This instance does not know the type of the event yet.');
    try {
      const body = eventJson(event, webhook.accountId);
      await this.sender.send(webhook.url, event.eventId, body, this.secretsOf(webhook));
      if (webhook.failingSince !== null) await this.noteFailure(webhook, null);
    } catch (error) {
      const reason = reasonOf(error);
      const nowMs = this.clock.nowMs();
      // Kept, because another delivery can succeed meanwhile.
      const { failingSince } = webhook;
      if (failingSince === null) await this.noteFailure(webhook, nowMs);
      if (error instanceof ReceiverGone) await this.webhooks.disable(webhook, reason);
      else if (failingSince !== null && nowMs - failingSince > MOST_FAILING_MS)
        await this.disable(webhook, reason, failingSince);
      throw error instanceof Error && error.message === reason ? error : new Error(reason, { cause: error });
    }
  }

  /** Unless nothing was sent meanwhile, as while the key was paused. Then it has as long again. */
  private async disable(webhook: WebhookEntity, reason: string, failingSince: number): Promise<void> {
    const nowMs = this.clock.nowMs();
    const lastMs = await this.deliveries.lastAttemptMs(subscriptionName(webhook));
    if (nowMs - lastMs > PAUSE_MS) await this.noteFailure(webhook, nowMs);
    else await this.webhooks.disable(webhook, reason, failingSince);
  }

  /** The current secret, and the one before as long as it is valid. */
  private secretsOf({ secret, previousSecret, previousUntil }: WebhookEntity): string[] {
    const isValid = previousSecret !== null && Number(previousUntil) > this.clock.nowMs();
    return [secret, ...(isValid ? [previousSecret] : [])].map((encrypted) => this.secrets.decrypt(encrypted));
  }

  private async noteFailure(webhook: WebhookEntity, failingSince: number | null): Promise<void> {
    webhook.failingSince = failingSince;
    await this.database.manager.update(WebhookEntity, webhook.id, { failingSince });
  }
}
