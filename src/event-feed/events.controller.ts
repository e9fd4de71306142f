import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { addLink, type Caller, CurrentCaller, Env, nextPageLink, Operation, OperationGroup } from '../kernel.js';
import { pageOf, publicAddress, type ResponseBody } from '../kernel.js';
import { Event, eventJson, ListEventsQuery } from './event.dto.js';
import { cursorExpired } from './event-cursor.js';
import { EventFeed } from './event-feed.service.js';

const MAX_WAIT_SECONDS = 30;
/** RFC 7240, section 4.3. */
const WAIT = /(?:^|,)[ \t]*wait[ \t]*=[ \t]*"?(\d{1,9})"?[ \t]*(?=[;,]|$)/i;

const CREATED = {
  id: '0b5f1a4e-6f0e-4a43-9d1f-3f6f1d1c2b7a',
  type: 'pet.created',
  subject: 'pet:7',
  createdAt: '2026-11-21T12:00:00.000Z',
  data: { id: 7, name: 'Bella', categoryId: 3, status: 'available' },
};

@OperationGroup('Events', 'The log of changes.')
@Controller('events')
export class EventsController {
  constructor(
    private readonly feed: EventFeed,
    private readonly env: Env,
  ) {}

  @Get()
  @Operation({
    id: 'listEvents',
    summary: 'List events',
    description:
      "Returns changes of pets, categories, and the account's orders, keys and webhooks, in order, as far as the scopes of " +
      'the key allow. `Link` always points to a next page, even if it is still empty: follow it, and you miss no event.',
    scope: 'events:read',
    stability: 'beta',
    success: {
      ...pageOf(Event, 'Events', 'A page of events.', { 'A new pet': [CREATED], 'Nothing new': [] }),
      headers: ['Link', 'Cache-Control', 'Preference-Applied'],
    },
    errors: [cursorExpired()],
  })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description: `\`wait=20\` holds the response until there is an event, for at most 20 seconds (RFC 7240). The maximum is ${MAX_WAIT_SECONDS}.`,
    schema: { type: 'string', pattern: '^[\\t -~]+$', maxLength: 100, example: 'wait=20' },
  })
  async listEvents(
    @Query() query: ListEventsQuery,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseBody> {
    const { events, nextAfter } = await this.read(query, caller, reply);
    reply.header('cache-control', 'no-store');
    addLink(reply, nextPageLink(publicAddress(this.env, '/events'), query, nextAfter));
    return `[${events.map((event) => eventJson(event, caller.accountId)).join()}]`;
  }

  private async read(query: ListEventsQuery, caller: Caller, reply: FastifyReply) {
    const [, seconds] = WAIT.exec([reply.request.headers['prefer'] ?? ''].flat().join()) ?? [];
    const endWait = seconds === undefined ? undefined : this.feed.beginWait(caller.keyId);
    if (endWait === undefined) return this.feed.page(caller, query);
    const waitSeconds = Math.min(Number(seconds), MAX_WAIT_SECONDS);
    reply.header('preference-applied', `wait=${waitSeconds}`);
    const gone = new AbortController();
    const end = () => gone.abort();
    // A server that lets clients close their side does not close the connection of one that has gone.
    const { socket } = reply.request.raw;
    if (socket.readableEnded) end();
    else socket.once('end', end);
    reply.raw.once('close', end);
    try {
      return await this.feed.page(caller, query, { ms: waitSeconds * 1_000, signal: gone.signal });
    } finally {
      socket.off('end', end);
      endWait();
    }
  }
}
