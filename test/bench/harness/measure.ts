import { readFileSync } from 'node:fs';
import { makeCertificate } from '../../support/certificate.js';
import type { Case } from './cases.js';
import type { Contender } from './contenders.js';
import type { Load, LoadedCase } from './load.js';
import { type Running, start } from './running.js';
import { startTlsProxy, type TlsProxy } from './tls-proxy.js';
import type { Seed } from './seed.js';

/** On some processors, V8 compiles what a case needs only after three seconds, and is at work on it until then. */
const WARM_UP_SECONDS = 5;

/** One measurement: one second of one case on one start of one contender. */
export interface Measurement extends Load {
  readonly contender: string;
  readonly case: string;
  /** CPU time per request. Stays meaningful on a machine with other load. */
  readonly cpuMicroseconds: number;
  /** Peak resident memory of the process up to the end of this case. */
  readonly peakMemoryMiB: number;
}

/**
 * Starts the contenders, each on a fresh copy of the database, and measures one case after the other. Contenders
 * alternate every second, so that other load on the machine affects all of them equally.
 */
export async function measure(
  contenders: readonly Contender[],
  cases: readonly LoadedCase[],
  { seed, answers, seconds }: { readonly seed: Seed; readonly answers: string; readonly seconds: number },
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const started: Started[] = [];
  const pem = cases.some(({ tls }) => tls === true) ? readFileSync(makeCertificate(seed.folder)) : undefined;
  try {
    for (const contender of contenders) {
      const running = await start(contender, seed, answers);
      const proxy = pem && (await startTlsProxy(running.port, pem));
      started.push({ contender, running, proxy });
    }
    for (const one of cases) {
      const fit = started.filter(({ contender }) => isFor(contender, one));
      for (const warm of fit) await one.send(originOf(one, warm), WARM_UP_SECONDS);
      for (let second = 0; second < seconds; second++) {
        for (const measured of fit) measurements.push(await measureSecond(one, measured));
      }
    }
    return measurements;
  } finally {
    for (const { running, proxy } of started) {
      proxy?.stop();
      await running.stop();
    }
  }
}

function isFor({ constant, cases = [] }: Contender, one: Case): boolean {
  return (one.constant || constant !== true) && (cases.length === 0 || cases.includes(one.name));
}

interface Started {
  readonly contender: Contender;
  readonly running: Running;
  /** If a case needs it. */
  readonly proxy: TlsProxy | undefined;
}

function originOf({ tls }: LoadedCase, { proxy, running }: Started): string {
  return tls === true && proxy !== undefined ? proxy.origin : running.origin;
}

async function measureSecond(one: LoadedCase, started: Started): Promise<Measurement> {
  const { contender, running } = started;
  const beforeSeconds = running.cpuSeconds();
  const load = await one.send(originOf(one, started), 1);
  check(load, one, contender.title);
  const cpuMicroseconds = ((running.cpuSeconds() - beforeSeconds) / load.requests) * 1e6;
  return {
    ...load,
    cpuMicroseconds,
    contender: contender.name,
    case: one.name,
    peakMemoryMiB: running.peakMemoryMiB(),
  };
}

/** Fails on unexpected responses, which would make the measurement meaningless. */
function check({ requests, refused, broken }: Load, { title, expect }: Case, contender: string): void {
  const wrong = expect === 401 ? requests - refused : refused;
  if (wrong === 0 && broken === 0 && requests > 0) return;
  throw new Error(
    `${contender}, ${title}: of ${requests} answers ${wrong} have the wrong status, and ${broken} connections or waits failed.`,
  );
}
