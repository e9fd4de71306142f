import { once } from 'node:events';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type ProcessOptions, type ServiceProcess, startProcess } from './service-process.js';
import { until } from './until.js';

const BUILT = `${pathToFileURL(join(import.meta.dirname, '../../dist/src')).href}/`;
/** Timers run beside the work too, but those that are rare do not run beside each repetition. */
const REPETITIONS = 5;
/** Longer than the interval of the timer that measures the event loop, and shorter than any other. */
const IDLE_MS = 30;

/** The members of at least so many of the sets. */
function inAtLeast(count: number, sets: readonly ReadonlySet<string>[]): string[] {
  const members = Map.groupBy(
    sets.flatMap((set) => [...set]),
    (member) => member,
  );
  return [...members].flatMap(([member, { length }]) => (length >= count ? [member] : []));
}

/** A process of the built service, and the functions that run in it, as `file#name@offset`. */
export class ProfiledService {
  private calls = 0;
  private ran = new Set<string>();

  private constructor(
    readonly process: ServiceProcess,
    private readonly inspector: WebSocket,
  ) {}

  static async start({ env, ...options }: ProcessOptions): Promise<ProfiledService> {
    const process = await startProcess({ ...options, env: { ...env, NODE_OPTIONS: '--inspect=127.0.0.1:0' } });
    const [url = ''] = /ws:\S+/.exec(process.output()) ?? [];
    const service = new ProfiledService(process, new WebSocket(url));
    await once(service.inspector, 'open');
    await service.call('Profiler.enable');
    await service.call('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return service;
  }

  /**
   * Names the files in which functions run each time because of the work.
   * @param work its first call warms the service up
   * @param options `prepare` makes what one call of the work uses up. Functions that run in most idle times of
   * `idleMs` do not count
   */
  async filesOf<Prepared = void>(
    work: (prepared: Prepared) => Promise<unknown>,
    { prepare, idleMs = IDLE_MS }: { prepare?: () => Promise<Prepared>; idleMs?: number } = {},
  ): Promise<string[]> {
    const prepared: Prepared[] = [];
    for (let call = 0; call <= REPETITIONS; call += 1) prepared.push((await prepare?.()) as Prepared);
    const [first, ...others] = prepared.map((one) => () => work(one));
    await first?.();
    const [busy, idle]: [ReadonlySet<string>[], ReadonlySet<string>[]] = [[], []];
    for (const call of others) {
      const beginMs = performance.now();
      busy.push(await this.runDuring(call));
      // What the work leaves to a timer runs here. On a busy machine the work takes long, and that runs beside it too.
      const tookMs = performance.now() - beginMs;
      idle.push(await this.runDuring(() => delay(Math.max(idleMs, 2 * tookMs))));
    }
    // The profiler loses one now and then.
    const often = inAtLeast(REPETITIONS - 2, idle);
    const names = inAtLeast(REPETITIONS, busy).filter((name) => !often.includes(name));
    return [...new Set(names.map((name) => name.slice(0, name.indexOf('#'))))].toSorted();
  }

  /** Waits until a function has run that another process causes to run. */
  async untilRun<Result>(name: string, cause: () => Promise<Result>): Promise<Result> {
    const found = () => [...this.ran].find((each) => each.startsWith(`${name}@`));
    await this.collect();
    this.ran.delete(found() ?? '');
    const result = await cause();
    await until(async () => {
      await this.collect();
      return found() !== undefined;
    });
    return result;
  }

  stop(): Promise<unknown> {
    this.inspector.close();
    return this.process.stop('SIGKILL');
  }

  private async runDuring(call: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    await this.collect();
    this.ran = new Set();
    await call();
    // The client has the response before its hooks run.
    const expression = 'new Promise((resolve) => setImmediate(() => setImmediate(resolve)))';
    await this.call('Runtime.evaluate', { expression, awaitPromise: true });
    await this.collect();
    return this.ran;
  }

  private async collect(): Promise<void> {
    const { result } = await this.call<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage');
    for (const { url, functions } of result.filter((script) => script.url.startsWith(BUILT))) {
      for (const { functionName, ranges } of functions) {
        const [whole] = ranges;
        if (whole === undefined || whole.count === 0) continue;
        this.ran.add(`${url.slice(BUILT.length)}#${functionName}@${whole.startOffset}`);
      }
    }
  }

  private async call<Result>(method: string, params = {}): Promise<Result> {
    const id = ++this.calls;
    this.inspector.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [{ data }] = (await once(this.inspector, 'message')) as [MessageEvent];
      const message = JSON.parse(String(data)) as { readonly id?: number; readonly result: Result };
      if (message.id === id) return message.result;
    }
  }
}
