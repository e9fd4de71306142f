import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { type Ask, ask, JSON_TYPE } from './http.js';
import { nextPage } from './pages.js';

/** A response, or a broken connection. */
export interface Seen {
  readonly kind: string;
  /** 0 if the connection broke. */
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  /** On the clock of `performance.now()`. */
  readonly startMs: number;
  readonly tookMs: number;
}

interface Pet {
  readonly id: number;
  readonly name: string;
}

/** Clients that send requests continuously over persistent connections, and record the responses. */
export class Traffic {
  readonly seen: Seen[] = [];
  /** Identifiers of the created pets, by name. Each name is sent once. */
  readonly created = new Map<string, number>();
  private readonly agent = new Agent({ keepAlive: true });
  private workers: Promise<void>[] = [];
  private going = false;
  private count = 0;

  /**
   * @param ports of the instances, which take turns; evaluated for each request
   * @param requests to send in turn, by kind
   */
  constructor(
    private readonly ports: () => readonly number[],
    private readonly requests: Readonly<Record<string, (count: number) => Ask>>,
  ) {}

  start(workers: number): void {
    this.going = true;
    this.workers = Array.from({ length: workers }, () => this.work());
  }

  /** Resolves when all pending requests are complete. */
  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.workers);
    this.agent.destroy();
  }

  /** Returns the requests since a time on the clock of `performance.now()`. */
  since(ms: number, untilMs = Infinity): Seen[] {
    return this.seen.filter(({ startMs }) => startMs >= ms && startMs < untilMs);
  }

  private async work(): Promise<void> {
    const kinds = Object.entries(this.requests);
    while (this.going) {
      const count = this.count++;
      const ports = this.ports();
      const port = ports[count % ports.length];
      const [kind, request] = kinds[Math.floor(count / ports.length) % kinds.length] ?? [];
      if (port === undefined || kind === undefined || request === undefined) throw new Error('There is nobody to ask.');
      await this.send(kind, port, request(count));
    }
  }

  private async send(kind: string, port: number, request: Ask): Promise<void> {
    const startMs = performance.now();
    const note = (status: number, code?: string, retryAfter: string | null = null) =>
      this.seen.push({ kind, status, code, retryAfter, startMs, tookMs: performance.now() - startMs });
    try {
      const response = await ask(port, request, this.agent);
      const body = (await response.json()) as { code?: string } & Partial<Pet>;
      note(response.status, body.code, response.headers.get('retry-after'));
      if (response.status === 201 && body.name !== undefined && body.id !== undefined)
        this.created.set(body.name, body.id);
    } catch {
      note(0);
    }
  }
}

/** Requests of a client with a key: a list with a new cursor, or a create with a new name. */
export const requestsOf = (key: string) => ({
  list: (count: number): Ask => ({ path: `/v1/pets?limit=1&after=${count + 1}`, key }),
  create: (): Ask => ({
    method: 'POST',
    path: '/v1/pets',
    key,
    headers: JSON_TYPE,
    body: JSON.stringify({ name: randomUUID(), categoryId: 1 }),
  }),
});

export async function everyPet(port: number, key: string): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (let path: string | undefined = '/v1/pets?limit=100'; path !== undefined;) {
    const response: Response = await ask(port, { path, key });
    pets.push(...((await response.json()) as Pet[]));
    path = nextPage(response);
  }
  return pets;
}

/** Returns the names of created pets that the catalogue does not list exactly once under the returned identifier. */
export function lost(created: ReadonlyMap<string, number>, found: readonly Pet[]): string[] {
  const byName = Map.groupBy(found, ({ name }) => name);
  return [...created]
    .filter(([name, id]) => byName.get(name)?.length !== 1 || byName.get(name)?.[0]?.id !== id)
    .map(([name]) => name);
}
