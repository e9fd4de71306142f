import { Controller, Get, Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type HealthIndicator, Operation } from '../../src/index.js';
import { Readiness } from '../../src/monitoring/readiness.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { addHandlers, returning, sending, throwing } from '../support/handlers.js';
import { operationsOf } from '../support/operations.js';
import { until } from '../support/until.js';

let extended: TestApp | undefined;

afterEach(async () => {
  Logger.overrideLogger(false);
  await extended?.stop();
  extended = undefined;
});

const start = async (...parts: Parameters<typeof extensionOf>) =>
  (extended = await startApp({ extensions: [extensionOf(...parts)] }));

/** Collects the errors that the service logs from now on. */
function logged(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => lines.push(line) });
  return lines;
}

const operation = operationsOf('pets:read', 'Print');

describe('readiness', () => {
  it.each([undefined, null, { printer: undefined }])(
    'is 503 if a health indicator has no result: %j',
    async (result) => {
      class ForgetfulHealth implements HealthIndicator {
        check() {
          return result as never;
        }
      }
      const service = await start({ providers: [ForgetfulHealth] }, { healthIndicators: [ForgetfulHealth] });
      const lines = logged();
      const { status, message } = await errorOf(await service.request('/health/ready'));
      expect([status, message]).toEqual([503, 'The service is not ready. Down: ForgetfulHealth.']);
      expect(lines).toEqual([
        expect.objectContaining({ error: expect.stringContaining('ForgetfulHealth returned no result') }),
      ]);
    },
  );

  it('says that the instance is shutting down, and logs nothing, if a check ends after the stop began', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    class SlowHealth implements HealthIndicator {
      isAsked = false;

      async check() {
        this.isAsked = true;
        await released;
        return {};
      }
    }
    const service = await start({ providers: [SlowHealth] }, { healthIndicators: [SlowHealth] });
    const { app } = service;
    const lines = logged();
    const asked = service.request('/health/ready');
    await until(() => app.get(SlowHealth).isAsked);
    await app.get(Readiness).end();
    release();
    const response = await asked;
    expect(await errorOf(response)).toMatchObject({ status: 503, message: expect.stringContaining('shutting down') });
    expect(lines).toEqual([]);
  });
});

describe('a route that fails in different ways', () => {
  it('has each error logged once, with its stack, and then the count of the rest', async () => {
    const reasons = ['jammed', 'jammed', 'burnt', 'jammed', 'burnt', 'flooded', 'stolen', 'sold', 'lost', 'forgotten'];
    const nextError = () => {
      const message = `The printer is ${reasons.shift()}`;
      return message.endsWith('sold') ? { message, code: 'E_SOLD' } : new Error(message);
    };
    @Controller('printer')
    class PrinterController {}
    addHandlers(PrinterController, { print: [Get(), Operation(operation('print')), throwing(nextError)] });
    const service = await start({ controllers: [PrinterController] });
    const lines = logged();
    const reader = await service.key();
    while (reasons.length > 0) expect((await service.request('/v1/printer', { key: reader })).status).toBe(500);
    const stacks = ['jammed', 'burnt', 'flooded', 'stolen'].map((reason) => `The printer is ${reason}\\n\\s+at `);
    expect(lines).toEqual(
      [...stacks, "{ message: 'The printer is sold', code: 'E_SOLD' }"].map((error) =>
        expect.objectContaining({ message: 'request failed', error: expect.stringMatching(new RegExp(error)) }),
      ),
    );
    await service.app.close();
    expect(lines.slice(5)).toEqual([expect.objectContaining({ count: 5, code: 'internal_error' })]);
  });
});

it('a handler that returns nothing for declared JSON fails, unless it has responded; the log names its route', async () => {
  const json = { success: { status: 200, description: 'A print.', type: Object } };
  @Controller('forgetful')
  class Forgetful {}
  addHandlers(Forgetful, {
    forgotten: [Get('forgotten'), Operation(operation('forget', json)), returning(() => undefined)],
    missing: [Get('missing'), Operation(operation('miss', json)), returning(() => null)],
    unchanged: [Get('unchanged'), Operation(operation('keep', json)), returning((reply) => void reply.code(304))],
    sent: [Get('sent'), Operation(operation('send', json)), sending((reply) => void reply.send({ id: 1 }))],
    empty: [Get('empty'), Operation(operation('empty'))],
  });
  const service = await start({ controllers: [Forgetful] });
  const lines = logged();
  const reader = await service.key();
  const statuses = [];
  for (const path of ['forgotten', 'missing', 'unchanged', 'sent', 'empty'])
    statuses.push((await service.request(`/v1/forgetful/${path}`, { key: reader })).status);
  expect(statuses).toEqual([500, 500, 304, 200, 200]);
  expect(lines).toMatchObject([
    { route: '/v1/forgetful/forgotten', error: expect.stringContaining('returned undefined') },
    { route: '/v1/forgetful/missing', error: expect.stringContaining('returned null') },
  ]);
});
