import { Injectable } from '@nestjs/common';
import { type CommittedEvent, OnLoggedEvent } from 'petstore-service';
import { VetVisitsNotifier } from './vet-visits.notifier.js';

@Injectable()
export class VetVisitsListener {
  constructor(private readonly notifier: VetVisitsNotifier) {}

  /** After the commit, at least once, and again until it succeeds: `id` is the same each time. Keep `name` as it is. */
  @OnLoggedEvent('vet-visit.created', { name: 'vet-visits.notifier' })
  async onCreated({ id, subject }: CommittedEvent): Promise<void> {
    await this.notifier.notify(id, `${subject} was created`);
  }
}
