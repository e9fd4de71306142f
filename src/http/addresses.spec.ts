import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { anyAddress, localOrigin } from './addresses.js';

describe('the origin of a server', () => {
  it.each([
    [anyAddress(), 'localhost'],
    ['0.0.0.0', 'localhost'],
    ['127.0.0.1', 'localhost'],
    ['::1', '[::1]'],
    ['127.0.0.2', '127.0.0.2'],
  ])('is an address at which it can be reached: %s', async (address, host) => {
    const server = createServer((_request, response) => response.end('here')).listen(0, address);
    await once(server, 'listening');
    const origin = localOrigin(server);
    const text = await (await fetch(origin)).text();
    server.close();
    expect(origin).toBe(`http://${host}:${new URL(origin).port}`);
    expect(text).toBe('here');
  });
});
