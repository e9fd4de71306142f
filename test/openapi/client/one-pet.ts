import { Client } from './client.ts';

/* A program with the client that the service serves. It reads pets with listPets, and changes only what it has read. */

const [baseUrl = '', key = '', otherKey = ''] = process.argv.slice(2);
const store = new Client(key, { baseUrl });
const other = new Client(otherKey, { baseUrl });
const { id } = await other.createPet({ name: 'Ada', categoryId: 1 });

async function read(): Promise<string | undefined> {
  for await (const { name } of store.listPets({ categoryId: 1, ids: [id] })) return name;
  return undefined;
}

const change = (name: string): Promise<string> =>
  store.changePet(id, { name }, { ifUnchanged: true }).then(
    (pet) => pet.name,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

const results: unknown[] = [await change('Bea'), await read(), await change('Bea')];
await other.changePet(id, { name: 'Ada' });
// As it was read before: the response is 304.
results.push(await change('Cleo'), await read(), await change('Cleo'));
await other.removePet(id);
results.push(await change('Dora'), (await Array.fromAsync(store.listPets({ ids: [id] }))).length);
process.stdout.write(JSON.stringify({ pet: String(id), results }));
