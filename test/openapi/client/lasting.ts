import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, Client, type Int } from './client.ts';

/* A program with the client that the service serves. It takes the address of the API, a key, and where to say that it waits. */

const [baseUrl = '', key = '', control = '', total = '0'] = process.argv.slice(2);
const CATEGORY = 9223372036854775807n;

/** The clock of the service is a fake one: it advances by what a client waits. */
const wait = async (seconds: number) => {
  await fetch(control, { method: 'POST', body: String(seconds) });
  await delay(0);
};

const store = new Client(key, { baseUrl, wait });
const names = Array.from({ length: Number(total) }, (_, index) => `Pet ${index}`);
const created = await Promise.all(names.map((name) => store.createPet({ name, categoryId: CATEGORY })));

async function list(): Promise<[string, Int][]> {
  const pets: [string, Int][] = [];
  for await (const { name, categoryId } of store.listPets({ limit: 7 })) pets.push([name, categoryId]);
  return pets;
}

const first = await list();
const second = await list();
const pet = created[0];
if (pet === undefined) throw new Error('Nothing was created.');
const renamed = await store.changePet(pet.id, { name: 'Renamed' }, { ifUnchanged: true });
const refused = await store.getPet(0).catch((error: ApiError) => error.code);
const isSame = JSON.stringify(first.map(String)) === JSON.stringify(second.map(String));
const categories = [...new Set(first.map(([, categoryId]) => String(categoryId)))];
process.stdout.write(JSON.stringify({ listed: first.length, isSame, categories, renamed: renamed.name, refused }));
