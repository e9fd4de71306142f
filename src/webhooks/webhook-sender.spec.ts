import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from '@jest/globals';
import { listen } from '../../test/support/listen.js';
import { Clock, Env } from '../kernel.js';
import { WebhookAddresses } from './webhook-addresses.js';
import { agentsFor, WebhookSender } from './webhook-sender.js';

class HastySender extends WebhookSender {
  protected override readonly agents = agentsFor(50);
}

it('a connection that nobody uses any more ends, also if the receiver would keep it', async () => {
  const receiver = createServer({ keepAliveTimeout: 0 }, (_request, response) => void response.writeHead(204).end());
  const port = await listen(receiver);
  const env = Object.assign(new Env(), { WEBHOOK_ALLOW: ['127.0.0.0/8', 'http', String(port)] });
  const sender = new HastySender(new WebhookAddresses(env), new Clock());
  const closed = once(receiver, 'connection').then(([socket]) => once(socket, 'close'));
  await sender.send(`http://127.0.0.1:${port}/`, 'id', '{}', [`whsec_${'A'.repeat(32)}`]);
  expect(await closed).toEqual([false]);
  receiver.close();
});
