import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { addEarlyResponses } from './requests.js';
import { RoutedPaths } from './routed-paths.js';

const server = fastify();
addEarlyResponses(server, new RoutedPaths(server));
server.get('/pets/:petId', () => 'a pet');
server.get('/files/*', () => 'a file');

it.each([
  ['/pets/1', 200],
  ['/pets/', 404],
  ['/pets', 404],
  ['/files/a', 200],
  ['/files/', 200],
])('a parameter must not be empty, but a wildcard can be: %s', async (url, status) => {
  expect((await server.inject(url)).statusCode).toBe(status);
});
