import { Agent, request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ask } from '../harness/ask.js';

/**
 * Sends requests at a constant rate, whether or not earlier ones have been answered.
 * @returns the latency of each in milliseconds, from when it was due. A service that stalls delays all that are due meanwhile,
 * which a generator that waits for responses would not send at all. Infinity if there is none, as a service that cannot keep
 * the rate refuses connections.
 */
export async function sendAtRate(port: number, deck: readonly Ask[], perSecond: number, seconds: number) {
  const agent = new Agent({ keepAlive: true });
  const count = perSecond * seconds;
  const beginMs = performance.now();
  const answers: Promise<number>[] = [];
  while (answers.length < count) {
    const dueMs = beginMs + (answers.length * 1000) / perSecond;
    const ask = deck[answers.length % deck.length];
    if (ask === undefined) throw new Error('The deck is empty.');
    if (performance.now() >= dueMs) answers.push(latencyMs(agent, port, ask, dueMs).catch(() => Infinity));
    // Without a timer, which would be up to a millisecond late.
    else await nextTurn();
  }
  const latencies = await Promise.all(answers);
  agent.destroy();
  return latencies;
}

function latencyMs(agent: Agent, port: number, { method, path, headers, body }: Ask, dueMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, method, path, headers, host: '127.0.0.1' }, (response) => {
      if ((response.statusCode ?? 500) >= 400) reject(new Error(`${method} ${path} returned ${response.statusCode}.`));
      response.resume().on('end', () => resolve(performance.now() - dueMs));
    });
    sent.on('error', reject).end(body);
  });
}
