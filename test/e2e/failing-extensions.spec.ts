import { Controller, Get, Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type HealthIndicator, Operation } from '../../src/index.js';
import { Readiness } from '../../src/monitoring/readiness.js';
import { startApp, type TestApp } from '../support/app.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { until } from '../support/until.js';

let extended: TestApp | undefined;

afterEach(async () => {
  Logger.overrideLogger(false);
  await extended?.stop();
  extended = undefined;
});

/** Collects the errors that the service logs from now on. */
function logged(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  Logger.overrideLogger({ log: () => undefined, warn: () => undefined, error: (line) => lines.push(line) });
  return lines;
}

describe('readiness', () => {
  it.each([undefined, null, { printer: undefined }])(
    'is 503 if a health indicator has no result: %j',
    async (result) => {
      class ForgetfulHealth implements HealthIndicator {
        check() {
          return result as never;
        }
      }
      const health = extensionOf({ providers: [ForgetfulHealth] }, { healthIndicators: [ForgetfulHealth] });
      extended = await startApp({ extensions: [health] });
      const lines = logged();
      const { status, message } = await errorOf(await extended.request('/health/ready'));
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
    const health = extensionOf({ providers: [SlowHealth] }, { healthIndicators: [SlowHealth] });
    extended = await startApp({ extensions: [health] });
    const { app } = extended;
    const lines = logged();
    const asked = extended.request('/health/ready');
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
    @Controller('printer')
    class PrinterController {
      @Get()
      @Operation({
        id: 'print',
        summary: 'Print',
        scope: 'pets:read',
        stability: 'experimental',
        success: { status: 200, description: 'Never.' },
        errors: [],
      })
      print(): never {
        const message = `The printer is ${reasons.shift()}`;
        throw message.endsWith('sold') ? { message, code: 'E_SOLD' } : new Error(message);
      }
    }
    extended = await startApp({ extensions: [extensionOf({ controllers: [PrinterController] })] });
    const lines = logged();
    const reader = await extended.key();
    while (reasons.length > 0) expect((await extended.request('/v1/printer', { key: reader })).status).toBe(500);
    const stacks = ['jammed', 'burnt', 'flooded', 'stolen'].map((reason) => `The printer is ${reason}\\n\\s+at `);
    expect(lines).toEqual(
      [...stacks, "{ message: 'The printer is sold', code: 'E_SOLD' }"].map((error) =>
        expect.objectContaining({ message: 'request failed', error: expect.stringMatching(new RegExp(error)) }),
      ),
    );
    await extended.app.close();
    expect(lines.slice(5)).toEqual([expect.objectContaining({ count: 5, code: 'internal_error' })]);
  });
});
