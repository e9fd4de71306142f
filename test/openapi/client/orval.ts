import * as api from './petstore.js';

/*
 * A client program for the functions that orval generates from the document: a create, a page, an update, and a rotation. It
 * takes the address of the API and a key with the `keys:manage` scope, and prints what it got.
 */

const [baseUrl = '', key = ''] = process.argv.slice(2);
const fetchAt: typeof fetch = globalThis.fetch;
globalThis.fetch = (path, init) => fetchAt(`${baseUrl}${String(path)}`, init);
const options = { headers: { authorization: `Bearer ${key}` } };

const made = await api.createPet({ name: 'Bella', categoryId: 3, status: 'available' }, options);
if (made.status !== 201) throw new Error(made.data.code);
const pet: api.Animal = made.data;
const page = await api.listPets({ limit: 1, status: api.PetStatus.available }, options);
const changed = await api.changePet(pet.id, { name: 'Bello' }, options);
const issued = await api.createKey({ scopes: ['pets:read'] }, options);
if (issued.status !== 201) throw new Error(issued.data.code);
const rotated = await api.rotateKey(issued.data.id, undefined, options);
const absent = await api.getPet(999, options);

process.stdout.write(
  JSON.stringify({
    pet,
    page: page.status === 200 ? page.data : page.status,
    name: changed.status === 200 ? changed.data.name : changed.status,
    isRotated: rotated.status === 201 && rotated.data.id !== issued.data.id,
    code: absent.status === 404 ? absent.data.code : absent.status,
  }),
);
