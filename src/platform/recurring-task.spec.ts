import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError } from './errors/domain-error.js';
import { noteRequest, RecurringTask, startedTasks } from './recurring-task.js';

const failed = (error: unknown) => ({ message: 'work failed; retrying', count: 1, error });
const startedNames = () => Array.from(startedTasks, ({ name }) => name);

describe('RecurringTask', () => {
  let logged: jest.SpiedFunction<Logger['error']>;

  beforeEach(() => {
    jest.useFakeTimers();
    logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('runs at each interval until it is stopped', async () => {
    const work = jest.fn(async () => {});
    const task = new RecurringTask('work', 100, work);
    task.start();
    task.start();
    await jest.advanceTimersByTimeAsync(350);
    expect(work).toHaveBeenCalledTimes(3);
    expect(startedNames()).toContain('work');
    await task.stop();
    expect(startedNames()).not.toContain('work');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('never runs twice at once, and stops after the last run has ended', async () => {
    const run = Promise.withResolvers<void>();
    const work = jest.fn(() => run.promise);
    const task = new RecurringTask('work', 100, work);
    task.start();
    await jest.advanceTimersByTimeAsync(500);
    expect(work).toHaveBeenCalledTimes(1);
    let stopped = false;
    const stopping = task.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    run.resolve();
    await stopping;
    expect(stopped).toBe(true);
  });

  it('retries after failures, and logs the first failure of each series, and one each hour', async () => {
    let failing = true;
    const work = jest.fn(async () => {
      if (failing) throw new Error('away');
    });
    const task = new RecurringTask('work', 60_000, work);
    await task.tryRun();
    await task.tryRun();
    expect(work).toHaveBeenCalledTimes(2);
    expect(logged).toHaveBeenCalledTimes(1);
    task.start();
    await jest.advanceTimersByTimeAsync(2 * 3_600_000);
    await task.stop();
    expect(logged).toHaveBeenCalledTimes(3);
    failing = false;
    await task.tryRun();
    failing = true;
    await task.tryRun();
    expect(logged).toHaveBeenCalledTimes(4);
    expect(logged.mock.calls[0]).toEqual([failed(expect.stringMatching(/^Error: away\n +at /))]);
  });

  it('logs the causes of a failure, without a stack if a server is unavailable', async () => {
    const error = new DomainError('service_unavailable', 'Try again.', { cause: new Error('connection refused') });
    await new RecurringTask('work', 100, () => Promise.reject(error)).tryRun();
    expect(logged.mock.calls).toEqual([[failed('Try again.\nbecause of connection refused')]]);
  });

  it('asks a run to end when it is stopped, and names one that does not', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    let signal: AbortSignal | undefined;
    const task = new RecurringTask('stuck', 100, (stop) => {
      signal = stop;
      return new Promise(() => {});
    });
    void task.run();
    expect(signal?.aborted).toBe(false);
    await task.stop();
    expect(signal?.aborted).toBe(true);
    expect(warned.mock.calls).toEqual([[{ message: 'left running: stuck', timeoutMs: 5_000 }]]);
  });

  it.each([
    ['with its message', new AggregateError([], 'nothing done'), /^AggregateError: nothing done\n/],
    [
      'with a list of errors that is none',
      Object.assign(new AggregateError([], 'all'), { errors: 1 }),
      /^Aggr.*: all\n/,
    ],
    ['that is an object', { code: 'E_SOLD' }, /^\{ code: 'E_SOLD' \}$/],
  ])('logs a failure %s', async (_, error, line) => {
    await new RecurringTask('work', 100, () => Promise.reject(error as Error)).tryRun();
    expect(logged.mock.calls).toEqual([[failed(expect.stringMatching(line))]]);
  });

  it.each([0, -1, NaN, Infinity, 30 * 24 * 3_600_000])('refuses an interval that no timer has: %s', (intervalMs) => {
    expect(() => new RecurringTask('billing', intervalMs, async () => {})).toThrow(
      `The interval of the task billing is ${intervalMs} ms. It must be from 1 ms to 2147483647 ms, which is 24 days.`,
    );
  });

  it('rests while there are no requests, but for one run an hour', async () => {
    const work = jest.fn(async () => {});
    const task = new RecurringTask('work', 60_000, work, { restsWhenIdle: () => true });
    task.start();
    await jest.advanceTimersByTimeAsync(59 * 60_000);
    expect(work).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(2 * 3_600_000);
    expect(work).toHaveBeenCalledTimes(3);
    noteRequest();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(work).toHaveBeenCalledTimes(4);
    await task.stop();
  });

  it('rejects if it is run by hand and fails, and is stopped in peace', async () => {
    const task = new RecurringTask('work', 100, () => Promise.reject(new Error('away')));
    const run = task.run();
    const stopping = task.stop();
    await expect(run).rejects.toThrow('away');
    await stopping;
    expect(logged).not.toHaveBeenCalled();
  });

  it('leaves the names of its own members to subclasses, and runs at the start if asked to', async () => {
    const done: string[] = [];
    class Sweep extends RecurringTask {
      private readonly name = 'name';
      private readonly timer = 'timer';
      private readonly running = 'running';
      private readonly logger = 'logger';
      private readonly intervalMs = 'interval';
      constructor() {
        super('sweeping', 100, () => this.work(), { runsAtStart: true, runsAtStop: true });
      }
      private async work(): Promise<void> {
        done.push([this.name, this.timer, this.running, this.logger, this.intervalMs].join(' '));
      }
    }
    const task = new Sweep();
    await task.onModuleInit();
    expect(done).toEqual(['name timer running logger interval']);
    await jest.advanceTimersByTimeAsync(150);
    await task.onApplicationShutdown();
    expect(done).toHaveLength(3);
  });
});
