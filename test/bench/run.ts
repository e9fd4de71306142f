import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { buildContenders } from './harness/build.js';
import { benchCases, PETS } from './harness/cases.js';
import { SHARED_CPU, stayOnLoadCpu } from './harness/cpus.js';
import { compareAnswers } from './harness/compare.js';
import { OURS, RIVALS, withSettings } from './harness/contenders.js';
import { earlierVersion } from './harness/earlier-version.js';
import { judge } from './harness/goals.js';
import { GENERATOR, loadCases } from './harness/load.js';
import { measure, type Measurement } from './harness/measure.js';
import { readOptions, select } from './harness/options.js';
import { say } from './harness/progress.js';
import { report } from './harness/report.js';
import { Results } from './harness/results.js';
import { seedDatabase } from './harness/seed.js';

const options = readOptions();
stayOnLoadCpu();
buildContenders();
const seed = await seedDatabase(PETS, options.on);
try {
  const contenders = [
    OURS,
    ...select(RIVALS, options.against),
    ...(options.before === undefined ? [] : [earlierVersion(options.before)]),
    ...(options.with.length === 0 ? [] : [withSettings(options.with)]),
  ];
  const cases = loadCases(select(benchCases(seed.key), options.only), seed.folder);
  if (SHARED_CPU) say('There is one CPU only, for contender and load generator alike: the figures will say little.');
  say('comparing answers');
  const answers = await compareAnswers(seed, contenders, cases);

  const measurements: Measurement[] = [];
  for (let round = 0; round < options.starts; round++) {
    say(`start ${round + 1} of ${options.starts}`);
    // Rotate the order, so that each contender runs in every position.
    const turn = contenders.map((_, index) => contenders[(index + round) % contenders.length] ?? OURS);
    measurements.push(...(await measure(turn, cases, { seed, answers, seconds: options.seconds })));
  }

  if (options.json !== undefined)
    writeFileSync(options.json, JSON.stringify({ options, generator: GENERATOR, measurements }, null, 2));
  const conditions = `Medians over ${options.seconds} single seconds of each of ${options.starts} starts, 32 connections, ${options.on}, ${GENERATOR}, Node ${process.versions.node}, ${cpus()[0]?.model}.`;
  const results = new Results(measurements);
  const judgements = judge(results, options.on);
  process.stdout.write(`${conditions}\n\n${report(results, contenders, cases, judgements)}`);
  if (judgements.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;
} finally {
  await seed.remove();
}
