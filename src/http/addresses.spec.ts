import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from '@jest/globals';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { loadEnv } from '../platform/config/load-env.js';
import { anyAddress, localOrigin, nextPageLink, publicAddress, publicPath } from './addresses.js';

it('the link to the next page has the parameters of the query, times in RFC 3339', () => {
  const query = { from: new Date(1_234_567_890_123), 'tag[]': 'a b,c;', to: undefined, after: 'x', limit: 2 };
  expect(nextPageLink('/v1/visits', query, 5)).toBe(
    '</v1/visits?from=2009-02-13T23%3A31%3A30.123Z&tag%5B%5D=a%20b%2Cc%3B&limit=2&after=5>; rel="next"',
  );
});

class Filters {
  colours = ['red', 'light blue'];

  @ApiProperty({ type: 'array', items: { type: 'string' }, explode: false } as ApiPropertyOptions)
  sizes = ['s', 'm'];
}

it('the link to the next page repeats the name of a list, unless it is documented as one parameter with commas', () => {
  expect(nextPageLink('/v1/toys', new Filters(), 5)).toBe(
    '</v1/toys?colours=red&colours=light%20blue&sizes=s%2Cm&after=5>; rel="next"',
  );
});

it.each([
  ['/bücher', 'https://api.example.com/v1/b%C3%BCcher'],
  ['/a,b;c d>/e?f=%2C#g', 'https://api.example.com/v1/a%2Cb%3Bc%20d%3E/e?f=%2C#g'],
])('a public address can stand in a header, within <>: %s', (path, address) => {
  const env = loadEnv({ BASE_URL: 'https://api.example.com/v1' });
  expect(publicAddress(env, path)).toBe(address);
  expect(publicPath(env, `/v1${path}`)).toBe(address);
});

it.each([
  [anyAddress(), 'localhost'],
  ['0.0.0.0', 'localhost'],
  ['127.0.0.1', 'localhost'],
  ['::1', '[::1]'],
  ['127.0.0.2', '127.0.0.2'],
])('the origin of a server is an address at which it can be reached: %s', async (address, host) => {
  const server = createServer((_request, response) => response.end('here')).listen(0, address);
  await once(server, 'listening');
  const origin = localOrigin(server);
  const text = await (await fetch(origin)).text();
  server.close();
  expect(origin).toBe(`http://${host}:${new URL(origin).port}`);
  expect(text).toBe('here');
});
