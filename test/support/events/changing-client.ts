import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeLedger } from './change-ledger.js';

type Body = Readonly<Record<string, unknown>>;

interface Sent {
  readonly outcome: 'done' | 'refused' | 'unknown';
  /** Empty unless it is done, and the response has one. */
  readonly body: Body;
}

/** Changes resources that no other client changes, and notes what the service says of it. */
export class ChangingClient {
  private readonly pets: { id: number; body: Body }[] = [];
  private count = 0;

  constructor(
    private readonly name: string,
    private readonly key: string,
    private readonly ports: () => readonly number[],
    private readonly ledger: ChangeLedger,
    private readonly below: (limit: number) => number,
  ) {}

  async runUntil(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      const pet = this.pets.length === 0 ? undefined : this.pets[this.below(this.pets.length)];
      const dice = this.below(20);
      if (pet === undefined || dice < 6) await this.createPet();
      else if (dice < 11) await this.changePet(pet);
      else if (dice < 13) await this.removePet(pet);
      else if (dice < 17) await this.orderPet(pet);
      else if (dice < 19) await this.changeCategory();
      else await this.createKey();
    }
  }

  private async createPet(): Promise<void> {
    const name = this.nextName();
    const { outcome, body } = await this.send('POST', '/v1/pets', { name, categoryId: 7, status: 'available' });
    if (outcome === 'unknown') return this.ledger.noteUnknownCreation(name);
    if (outcome === 'refused') return;
    const id = Number(body['id']);
    this.ledger.note(`pet:${id}`, 'pet.created', body);
    this.pets.push({ id, body });
  }

  private async changePet(pet: { id: number; body: Body }): Promise<void> {
    const { outcome, body } = await this.send('PATCH', `/v1/pets/${pet.id}`, { name: this.nextName() });
    if (outcome === 'unknown') return this.forget(pet, 'pet.changed');
    if (outcome === 'refused') return;
    this.ledger.note(`pet:${pet.id}`, 'pet.changed', body);
    pet.body = body;
  }

  private async removePet(pet: { id: number; body: Body }): Promise<void> {
    const { outcome } = await this.send('DELETE', `/v1/pets/${pet.id}`);
    if (outcome === 'unknown') return this.forget(pet, 'pet.removed');
    if (outcome === 'refused') return;
    this.ledger.note(`pet:${pet.id}`, 'pet.removed', pet.body);
    this.pets.splice(this.pets.indexOf(pet), 1);
  }

  /** Places an order, and delivers or cancels it. */
  private async orderPet(pet: { id: number; body: Body }): Promise<void> {
    const placed = await this.send('POST', '/v1/store/orders', { petId: pet.id });
    if (placed.outcome === 'unknown') {
      this.ledger.noteUnknownCreation(String(pet.id));
      return this.forget(pet, 'pet.changed');
    }
    if (placed.outcome === 'refused') return;
    const order = `order:${String(placed.body['id'])}`;
    this.ledger.note(order, 'order.placed', placed.body);
    this.move(pet, 'pending');
    const isSold = this.below(2) === 0;
    const [statuses, end] = isSold ? [['approved', 'delivered'], 'sold'] : [['cancelled'], 'available'];
    for (const status of statuses) {
      const path = `/v1/store/orders/${String(placed.body['id'])}`;
      const { outcome, body } = await this.send('PATCH', path, { status });
      if (outcome === 'unknown') {
        this.ledger.noteUnknown(order, `order.${status}`);
        if (status !== 'approved') this.forget(pet, 'pet.changed');
        else this.pets.splice(this.pets.indexOf(pet), 1);
        return;
      }
      if (outcome === 'refused') throw new Error(`An order cannot be ${status}.`);
      this.ledger.note(order, `order.${status}`, body);
    }
    this.move(pet, end);
    if (isSold) this.pets.splice(this.pets.indexOf(pet), 1);
  }

  private async changeCategory(): Promise<void> {
    const name = this.nextName();
    const { outcome, body } = await this.send('POST', '/v1/categories', { name });
    if (outcome === 'unknown') return this.ledger.noteUnknownCreation(name);
    if (outcome === 'refused') return;
    const subject = `category:${String(body['id'])}`;
    this.ledger.note(subject, 'category.created', body);
    const changed = await this.send('PATCH', `/v1/categories/${String(body['id'])}`, { name: this.nextName() });
    if (changed.outcome === 'unknown') this.ledger.noteUnknown(subject, 'category.changed');
    if (changed.outcome === 'done') this.ledger.note(subject, 'category.changed', changed.body);
  }

  private async createKey(): Promise<void> {
    const name = this.nextName();
    const { outcome, body } = await this.send('POST', '/v1/keys', { name, scopes: ['pets:read'] });
    if (outcome === 'unknown') return this.ledger.noteUnknownCreation(name);
    if (outcome === 'refused') return;
    const { key: _, ...details } = body;
    const subject = `key:${String(details['id'])}`;
    this.ledger.note(subject, 'key.created', details);
    const removed = await this.send('DELETE', `/v1/keys/${String(details['id'])}`);
    if (removed.outcome === 'unknown') this.ledger.noteUnknown(subject, 'key.revoked');
    if (removed.outcome === 'done') this.ledger.note(subject, 'key.revoked');
  }

  private nextName(): string {
    this.count += 1;
    return `${this.name} "${'🐈'.repeat(this.below(2))}" ${this.count}`;
  }

  private move(pet: { id: number; body: Body }, status: string): void {
    pet.body = { ...pet.body, status };
    this.ledger.note(`pet:${pet.id}`, 'pet.changed', pet.body);
  }

  private forget(pet: { id: number }, type: string): void {
    this.ledger.noteUnknown(`pet:${pet.id}`, type);
    this.pets.splice(
      this.pets.findIndex(({ id }) => id === pet.id),
      1,
    );
  }

  private async send(method: string, path: string, body?: object): Promise<Sent> {
    const ports = this.ports();
    const port = ports[this.below(ports.length)];
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.status >= 500) return { outcome: 'unknown', body: {} };
      if (!response.ok) return { outcome: 'refused', body: {} };
      return { outcome: 'done', body: text === '' ? {} : (JSON.parse(text) as Body) };
    } catch (error) {
      // An instance that is being started again has received nothing.
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (code !== 'ECONNREFUSED') return { outcome: 'unknown', body: {} };
      await delay(50);
      return this.send(method, path, body);
    }
  }
}
