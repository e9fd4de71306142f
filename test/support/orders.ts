import { FakeClock, startApp, type TestApp } from './app.js';
import { AMPLE } from './folders.js';

export interface Order {
  readonly id: number;
  readonly petId: number;
  readonly status: string;
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** Starts the service, and creates, reads and changes the orders of one account at a time. */
export class OrdersClient {
  service!: TestApp;
  /** A key of the current account, and the default key of all calls. */
  key!: string;

  constructor(readonly clock = new FakeClock()) {}

  start = async (): Promise<void> => {
    this.service = await startApp({ clock: this.clock });
  };

  stop = (): Promise<void> => this.service.stop();

  reset = async (): Promise<void> => {
    this.key = await this.service.key(AMPLE);
  };

  /** @returns the identifier of a new pet */
  async addPet(status = 'available'): Promise<number> {
    const body = { name: 'Bella', categoryId: 1, status };
    return (await this.service.json<{ id: number }>('/v1/pets', { key: this.key, body })).body.id;
  }

  async petStatus(id: number): Promise<string | undefined> {
    return (await this.service.json<{ status?: string }>(`/v1/pets/${id}`, { key: this.key })).body.status;
  }

  place(petId: unknown, as = this.key): Promise<Response> {
    return this.service.post('/v1/store/orders', as, JSON.stringify({ petId }));
  }

  /** @param path relative to the list, such as `/1` or `?limit=1` */
  get(path: string, as = this.key, headers: Record<string, string> = {}): Promise<Response> {
    return this.service.request(`/v1/store/orders${path}`, { key: as, headers });
  }

  move(
    id: number | string,
    status: unknown,
    { as = this.key, ...headers }: Record<string, string> = {},
  ): Promise<Response> {
    return this.service.request(`/v1/store/orders/${id}`, {
      key: as,
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ status }),
    });
  }

  /** Creates an order and moves it through these statuses. */
  async orderAt(...statuses: string[]): Promise<Order> {
    let order = await orderOf(this.place(await this.addPet()));
    for (const status of statuses) order = await orderOf(this.move(order.id, status));
    return order;
  }
}

export async function orderOf(response: Promise<Response>): Promise<Order> {
  return (await (await response).json()) as Order;
}
