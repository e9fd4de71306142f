import { Injectable } from '@nestjs/common';
import { Subject } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { audit, type Caller, Clock, Database, DomainError, Events } from '../kernel.js';
import { EventTypes, lockAudit, onCommit, orFail, readPage, Subscriptions } from '../kernel.js';
import type { Page, PageRequest, Precondition } from '../kernel.js';
import type { IssuedWebhook, WebhookChange, WebhookCreation } from './webhook.dto.js';
import { Webhook } from './webhook.dto.js';
import { WebhookEntity } from './webhook.entity.js';
import { EXAMPLE, limitReached, MOST_WEBHOOKS, subscriptionName, toWebhook, webhookNotFound } from './webhook-rules.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { WebhookSecrets } from './webhook-secrets.js';

export interface WebhookKey {
  readonly accountId: number;
  /** Decimal digits. */
  readonly id: string;
}

/** The webhooks of accounts. Each change makes the calling key the one that the webhook reads events with. */
@Injectable()
export class WebhooksService {
  /** Emits when a change by this process is committed. */
  readonly changed = new Subject<void>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly events: Events,
    private readonly types: EventTypes,
    private readonly subscriptions: Subscriptions,
    private readonly secrets: WebhookSecrets,
    private readonly addresses: WebhookAddresses,
  ) {
    events.declare({
      types: {
        'webhook.created': 'A webhook was created.',
        'webhook.changed': 'A webhook was changed, or disabled by the service: `reason` says why.',
        'webhook.removed': 'A webhook was removed. `data` is its last state.',
      },
      scope: 'webhooks:manage',
      subject: ({ id }) => `webhook:${id}`,
      data: (webhook) => webhook,
      schema: Webhook,
      example: { subject: 'webhook:1', data: EXAMPLE },
    });
  }

  /** @throws (rejects) DomainError `webhooks_not_configured`, `validation_failed` or `webhook_limit_reached` */
  create(caller: Caller, { url, types = ['*'] }: WebhookCreation): Promise<IssuedWebhook> {
    const { accountId, keyId } = caller;
    const { secret, encrypted } = this.secrets.create();
    this.addresses.check(url);
    this.checkTypes(caller, types, true);
    return this.database.write(async (manager) => {
      await lockAudit(manager);
      if ((await manager.countBy(WebhookEntity, { accountId })) >= MOST_WEBHOOKS) throw limitReached();
      const created = await manager.save(WebhookEntity, {
        accountId,
        keyId,
        url,
        types: types.join(),
        state: 'enabled',
        reason: null,
        secret: encrypted,
        previousSecret: null,
        previousUntil: null,
        failingSince: null,
        createdAt: this.clock.nowMs(),
      });
      await this.subscriptions.add(manager, subscriptionName(created));
      const webhook = toWebhook(created);
      await this.record(manager, 'webhook.created', created, { url, types });
      await this.events.raise(manager, 'webhook.created', () => ({ before: undefined, after: webhook }), accountId);
      return { ...webhook, secret };
    });
  }

  async list(accountId: number, request: PageRequest): Promise<Page<Webhook>> {
    const webhooks = this.database.manager.createQueryBuilder(WebhookEntity, 'webhook').where({ accountId });
    const page = await readPage(webhooks, { id: 'ASC' }, request);
    return { ...page, items: page.items.map(toWebhook) };
  }

  /** @throws (rejects) DomainError `webhook_not_found` */
  async get(key: WebhookKey): Promise<Webhook> {
    return toWebhook(await this.find(this.database.manager, key));
  }

  /** @throws (rejects) DomainError `webhook_not_found`, `precondition_failed` or `validation_failed` */
  change(
    caller: Caller,
    key: WebhookKey,
    { url, types, enabled }: WebhookChange,
    precondition: Precondition,
  ): Promise<Webhook> {
    return this.database.write(async (manager) => {
      const before = await this.lock(manager, key);
      precondition.check(JSON.stringify(toWebhook(before)));
      const patterns = types ?? before.types.split(',');
      const isEnabled = enabled ?? before.state === 'enabled';
      // What only stays is not checked again: an extension may have been removed, or a setting changed.
      if (url !== undefined || isEnabled) this.addresses.check(url ?? before.url);
      if (types !== undefined || isEnabled) this.checkTypes(caller, patterns, types !== undefined);
      return this.update(manager, before, {
        keyId: caller.keyId,
        url: url ?? before.url,
        types: patterns.join(),
        state: isEnabled ? 'enabled' : 'disabled',
        ...(isEnabled ? { reason: null } : {}),
        ...(enabled === true ? { failingSince: null } : {}),
      });
    });
  }

  /**
   * Disables a webhook, unless somebody did it before. It keeps its place in the log.
   * @param tried as it was at the attempt: not if it has another address now
   * @param failingSince if that is why: not if it was enabled again, or something was delivered, while the attempt ran
   */
  async disable({ accountId, id, url }: WebhookEntity, reason: string, failingSince?: number): Promise<void> {
    await this.database.write(async (manager) => {
      const before = await this.lock(manager, { accountId, id: String(id) });
      const isFailing = failingSince === undefined || before.failingSince === failingSince;
      if (before.state === 'enabled' && before.url === url && isFailing)
        await this.update(manager, before, { state: 'disabled', reason });
    });
  }

  /** @throws (rejects) DomainError `webhook_not_found` or `precondition_failed` */
  remove(key: WebhookKey, precondition: Precondition): Promise<void> {
    return this.database.write(async (manager) => {
      const removed = await this.lock(manager, key);
      const webhook = toWebhook(removed);
      precondition.check(JSON.stringify(webhook));
      await manager.delete(WebhookEntity, { id: removed.id });
      await this.subscriptions.remove(manager, subscriptionName(removed));
      await this.record(manager, 'webhook.removed', removed, {});
      await this.events.raise(manager, 'webhook.removed', () => ({ before: webhook, after: undefined }), key.accountId);
    });
  }

  /** Replaces the secret. Deliveries have signatures with both for the overlap. */
  rotate(key: WebhookKey, overlapSeconds: number): Promise<IssuedWebhook> {
    const { secret, encrypted } = this.secrets.create();
    return this.database.write(async (manager) => {
      const before = await this.lock(manager, key);
      const previousUntil = this.clock.nowMs() + overlapSeconds * 1_000;
      await manager.update(WebhookEntity, before.id, {
        secret: encrypted,
        previousSecret: before.secret,
        previousUntil,
      });
      await this.record(manager, 'webhook.rotated', before, { previousUntil });
      return { ...toWebhook(before), secret };
    });
  }

  /** @throws (rejects) DomainError `webhook_not_found` */
  async find(manager: EntityManager, { accountId, id }: WebhookKey): Promise<WebhookEntity> {
    const found = manager.createQueryBuilder(WebhookEntity, 'webhook');
    const condition = 'webhook.accountId = :accountId AND webhook.id = CAST(:id AS BIGINT)';
    return orFail(await found.where(condition, { accountId, id }).getOne(), webhookNotFound, id);
  }

  private async lock(manager: EntityManager, key: WebhookKey): Promise<WebhookEntity> {
    await lockAudit(manager);
    return this.find(manager, key);
  }

  private async update(
    manager: EntityManager,
    before: WebhookEntity,
    changes: Partial<WebhookEntity>,
  ): Promise<Webhook> {
    const after = { ...before, ...changes };
    const change = { before: toWebhook(before), after: toWebhook(after) };
    if (JSON.stringify(change.before) === JSON.stringify(change.after)) return change.after;
    await manager.update(WebhookEntity, before.id, changes);
    const { url, types, state, reason } = after;
    await this.record(manager, 'webhook.changed', before, { url, types, state, reason });
    await this.events.raise(manager, 'webhook.changed', () => change, before.accountId);
    return change.after;
  }

  /**
   * @param areNew otherwise some of the patterns may stand for no type any more
   * @throws DomainError `validation_failed`
   */
  private checkTypes({ scopes }: Caller, patterns: readonly string[], areNew: boolean): void {
    const found = this.types.find(patterns);
    const types = areNew || found.length === 0 ? this.types.matching(patterns) : found;
    if (types.some(({ scope }) => scopes.has(scope))) return;
    const needed = [...new Set(types.map(({ scope }) => scope))].join(', ');
    throw new DomainError('validation_failed', `types must include one that the key can read. It lacks ${needed}.`);
  }

  private record(
    manager: EntityManager,
    action: `webhook.${string}`,
    { id, accountId, keyId }: WebhookEntity,
    detail: object,
  ) {
    onCommit(() => this.changed.next());
    return audit({ manager, atMs: this.clock.nowMs() }, action, accountId, keyId, { webhook: id, ...detail });
  }
}
