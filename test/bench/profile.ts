import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildContenders } from './harness/build.js';
import { benchCases, PETS } from './harness/cases.js';
import { OURS, RIVALS } from './harness/contenders.js';
import { loadCases } from './harness/load.js';
import { readOptions, select } from './harness/options.js';
import { say } from './harness/progress.js';
import { start } from './harness/running.js';
import { seedDatabase } from './harness/seed.js';
import { type Profile, type Share, sumProfile } from './profile/sum.js';

const FUNCTIONS_SHOWN = 25;
/** A process that a signal kills writes no profile, and only our service exits by itself. */
const EXIT_ON_SIGTERM = `data:text/javascript,${encodeURIComponent("process.once('SIGTERM', () => process.exit());")}`;

// Profiles our service, or the contender named by --against.
const options = readOptions();
const [contender = OURS] = options.against.length === 0 ? [] : select(RIVALS, options.against);
buildContenders();
const seed = await seedDatabase(PETS, options.on);
try {
  for (const one of loadCases(select(benchCases(seed.key), options.only), seed.folder)) {
    say(`profiling ${one.title}`);
    const folder = join(seed.folder, `profile-${one.name}`);
    mkdirSync(folder);
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--import', EXIT_ON_SIGTERM];
    const running = await start(contender, seed, '', nodeOptions);
    await one.send(running.origin, 1);
    const from = nowMicroseconds();
    await one.send(running.origin, options.seconds);
    const to = nowMicroseconds();
    await running.stop();
    const { layers, functions } = sumProfile(readProfile(folder), from, to);
    process.stdout.write(
      `### ${contender.title}: ${one.title}\n\n${table('layer', layers)}\n${table('function', functions.slice(0, FUNCTIONS_SHOWN))}\n`,
    );
  }
} finally {
  await seed.remove();
}

/** Uses the clock of the profiler, which all processes share. */
function nowMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function readProfile(folder: string): Profile {
  const [file = ''] = readdirSync(folder);
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
}

function table(what: string, shares: readonly Share[]): string {
  const rows = shares.map(({ name, share }) => `| ${name} | ${(100 * share).toFixed(1)} % |`);
  return `| ${what} | share |\n| --- | ---: |\n${rows.join('\n')}\n`;
}
