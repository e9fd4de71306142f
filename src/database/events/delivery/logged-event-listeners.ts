import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { refuseFaults } from '../../../platform/errors/extension-error.js';
import { Database } from '../../database.js';
import type { EventName, EventPattern } from '../domain-event.js';
import { EventTypes } from '../event-types.js';
import { listeningMethods, markListening } from '../listening-methods.js';
import type { LoggedEvent } from '../logged-event.entity.js';
import { DeliveryWorker } from './delivery-worker.js';
import type { Subscription } from './subscription.js';
import { Subscriptions } from './subscriptions.js';

const LOGGED_EVENT = 'petstore:logged-event';
const SECOND_MS = 1_000;
const RETRY_AFTER_MS = [1, 5, 30, 120, 600, 3_600].map((seconds) => seconds * SECOND_MS);

/** An event of the log, as listeners get it. */
export interface CommittedEvent {
  readonly id: string;
  readonly name: EventName;
  /** Such as `pet:7`. */
  readonly subject: string;
  /** The resource as the API returns it. `json` has its exact integers, if they exceed 2^53. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly json: string;
  readonly atMs: number;
  readonly actor: string | undefined;
  /** The account that the change was made for. */
  readonly accountId: number | undefined;
  readonly requestId: string | undefined;
}

export interface LoggedEventOptions {
  /** Names what the listener has handled, in the database: unique, and never changed. */
  readonly name: string;
}

/**
 * Calls a method of a provider with each event of the log after its commit: at least once, in order for each subject, in one
 * process at a time, and also after a crash. If it rejects, it is called again, six times within about an hour; then the
 * event is a dead letter. It can take its time, and call other services.
 */
export function OnLoggedEvent(pattern: EventPattern, options: LoggedEventOptions) {
  return <Method extends (event: CommittedEvent) => void | Promise<void>>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    markListening(LOGGED_EVENT, { pattern, ...options })(target, key, descriptor);
  };
}

@Injectable()
export class LoggedEventListeners implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: Subscriptions,
    private readonly types: EventTypes,
    private readonly worker: DeliveryWorker,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  async onModuleInit(): Promise<void> {
    const found = listeningMethods<LoggedEventOptions & { readonly pattern: string }>(
      this.discovery,
      this.scanner,
      LOGGED_EVENT,
    ).map((one) => ({ ...one, types: this.types.find([one.metadata.pattern]).map((type) => type.name) }));
    if (found.length === 0) return;
    const known = Array.from(this.types.all, ({ name }) => name).join(', ');
    const unknown = found.filter(({ types }) => types.length === 0);
    const repeated = [...Map.groupBy(found, ({ metadata }) => metadata.name)].filter(([, all]) => all.length > 1);
    refuseFaults([
      ...unknown.map(
        ({ name, metadata: { pattern } }) => `${name}: the log has no event ${pattern}. It has: ${known}.`,
      ),
      ...repeated.map(([name, all]) => `${all.map((one) => one.name).join(', ')}: they have the same name, ${name}.`),
    ]);
    const subscriptions = found.map(({ metadata: { name }, types, call }): Subscription => {
      const handle = async (event: LoggedEvent) => void (await call(committedEvent(event)));
      return { name, filter: { types }, atOnce: 1, retryAfterMs: RETRY_AFTER_MS, keepsDelivered: false, handle };
    });
    const names = subscriptions.map(({ name }) => name);
    for (const name of names) await this.subscriptions.add(this.database.manager, name);
    this.worker.addSource({ subscriptions: () => subscriptions }, ...names);
  }
}

function committedEvent(event: LoggedEvent): CommittedEvent {
  const { eventId: id, type, subject, data: json, at: atMs, actor, actorAccountId, requestId } = event;
  return {
    id,
    name: type as EventName,
    subject,
    data: JSON.parse(json) as CommittedEvent['data'],
    json,
    atMs,
    actor: actor ?? undefined,
    accountId: actorAccountId ?? undefined,
    requestId: requestId ?? undefined,
  };
}
