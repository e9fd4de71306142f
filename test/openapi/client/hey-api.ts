import { client } from './sdk/client.gen.js';
import * as api from './sdk/index.js';

/*
 * A client program for the SDK that @hey-api/openapi-ts generates from the document. It calls every operation without a
 * type cast. It takes the address of the API and a key with the `keys:manage` scope, and prints the operations it called.
 */

const [baseUrl = '', auth = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth, throwOnError: true });

const called: string[] = [];

/** Returns the data of a call. The operation determines its type. */
async function data<T>(name: keyof typeof api, call: Promise<{ data: T; response: Response }>): Promise<T> {
  const { data: received, response } = await call;
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  called.push(name);
  return received;
}

const throwOnError = true as const;

const bella: api.Animal = await data(
  'createPet',
  api.createPet({ throwOnError, body: { name: 'Bella', categoryId: 3, status: 'available' } }),
);
const pets: api.Pets = await data('listPets', api.listPets({ throwOnError, query: { status: 'available', limit: 1 } }));
const petId = pets[0]?.id ?? bella.id;
await data('getPet', api.getPet({ throwOnError, path: { petId } }));
await data('changePet', api.changePet({ throwOnError, path: { petId }, body: { name: 'Bello' } }));
const order = await data('placeOrder', api.placeOrder({ throwOnError, body: { petId } }));
const { id: orderId } = order;
await data('getOrder', api.getOrder({ throwOnError, path: { orderId } }));
await data('listOrders', api.listOrders({ throwOnError, query: { status: order.status } }));
await data('changeOrder', api.changeOrder({ throwOnError, path: { orderId }, body: { status: 'cancelled' } }));
await data(
  'changePet',
  api.changePet({ throwOnError, path: { petId }, body: { status: null }, headers: { 'If-Match': '*' } }),
);
await data('removePet', api.removePet({ throwOnError, path: { petId } }));

const category: api.Category = await data(
  'createCategory',
  api.createCategory({ throwOnError, body: { name: 'Dogs', id: bella.categoryId } }),
);
const { id: categoryId } = category;
await data('listCategories', api.listCategories({ throwOnError, query: { after: categoryId - 1 } }));
await data('getCategory', api.getCategory({ throwOnError, path: { categoryId } }));
await data('changeCategory', api.changeCategory({ throwOnError, path: { categoryId }, body: { name: 'Hounds' } }));

const usage: api.Usage = await data('getUsage', api.getUsage({ throwOnError }));
await data('getUsageHistory', api.getUsageHistory({ throwOnError, query: { interval: 'hour', by: 'key' } }));
const issued = await data(
  'createKey',
  api.createKey({ throwOnError, body: { scopes: ['pets:read'], expiresInSeconds: 60 } }),
);
const rotated: api.RotatedApiKey = await data(
  'rotateKey',
  api.rotateKey({ throwOnError, path: { keyId: issued.id }, body: { overlapSeconds: 0 } }),
);
await data('listKeys', api.listKeys({ throwOnError, query: { limit: 100 } }));
const { scopes } = await data('getKey', api.getKey({ throwOnError, path: { keyId: rotated.id } }));
await data(
  'changeKey',
  api.changeKey({ throwOnError, path: { keyId: rotated.id }, body: { name: null, paused: true } }),
);
await data('getKeyUsage', api.getKeyUsage({ throwOnError, path: { keyId: rotated.id } }));
await data('revokeKey', api.revokeKey({ throwOnError, path: { keyId: rotated.id } }));

const events: api.Events = await data('listEvents', api.listEvents({ throwOnError, query: { types: 'pet.*' } }));
const hook: api.IssuedWebhook = await data(
  'createWebhook',
  api.createWebhook({
    throwOnError,
    body: { url: 'https://receiver.invalid/hooks/pets', types: ['pet.*', 'order.placed'] },
  }),
);
const { id: webhookId } = hook;
await data('listWebhooks', api.listWebhooks({ throwOnError }));
await data('getWebhook', api.getWebhook({ throwOnError, path: { webhookId } }));
await data('testWebhook', api.testWebhook({ throwOnError, path: { webhookId } }));
await data('changeWebhook', api.changeWebhook({ throwOnError, path: { webhookId }, body: { enabled: false } }));
await data('rotateWebhook', api.rotateWebhook({ throwOnError, path: { webhookId }, body: { overlapSeconds: 0 } }));
await data('listDeliveries', api.listDeliveries({ throwOnError, path: { webhookId }, query: { state: 'failed' } }));
const since = events[0]?.createdAt ?? '';
await data('replayDeliveries', api.replayDeliveries({ throwOnError, path: { webhookId }, body: { since } }));
await data('removeWebhook', api.removeWebhook({ throwOnError, path: { webhookId } }));

/** Errors are typed too, with the known error codes. */
const { error } = await api.getPet({ throwOnError: false, path: { petId } });
const isGone = error?.code === 'pet_not_found';

process.stdout.write(JSON.stringify({ called: [...new Set(called)], plan: usage.plan, scopes, isGone }));
