import { Injectable } from '@nestjs/common';
import { type Change, Database, Events, type Page, type PageRequest, readPage } from 'petstore-service';
import type { VetVisitCreation } from './vet-visit.dto.js';
import { VetVisit } from './vet-visit.entity.js';

declare module 'petstore-service' {
  interface EventMap {
    'vet-visit.created': Change<undefined, VetVisit>;
  }
}

@Injectable()
export class VetVisitsService {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {
    // So the log keeps these events, and clients and webhooks with the scope get them.
    events.declare({
      types: { 'vet-visit.created': 'A vet visit was created.' },
      scope: 'vet-visits:read',
      subject: ({ id }) => `vet-visit:${id}`,
      data: ({ id, name }) => ({ id, name }),
      schema: VetVisit,
      example: { subject: 'vet-visit:1', data: { id: 1, name: 'First' } },
    });
  }

  /** The event is committed together with the row, or not at all. */
  create({ name }: VetVisitCreation): Promise<VetVisit> {
    return this.database.write(async (manager) => {
      const after = await manager.save(VetVisit, { name });
      await this.events.raise(manager, 'vet-visit.created', () => ({ before: undefined, after }));
      return after;
    });
  }

  list(page: PageRequest): Promise<Page<VetVisit>> {
    return readPage(this.database.manager.createQueryBuilder(VetVisit, 'row'), { id: 'ASC' }, page);
  }
}
