import { parseArgs } from 'node:util';
import { admissionGrowth, manyAccounts } from './growth/admission.js';
import { catalogueGrowth } from './growth/catalogue.js';
import { firstAnswerMs } from './growth/first-answer.js';
import { memoryUnderLoad } from './growth/memory.js';
import { buildContenders } from './harness/build.js';
import { whole } from './harness/table.js';

const { values } = parseArgs({
  options: {
    pets: { type: 'string', default: '1000,100000' },
    starts: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const starts = Number(values.starts);
const seconds = Number(values.seconds);
buildContenders();
const catalogue = await catalogueGrowth(values.pets.split(',').map(Number), starts, seconds);
process.stdout.write(`### Processor time per request, µs\n\n${catalogue}\n\n`);
process.stdout.write(`### Admission, by accounts in memory\n\n${admissionGrowth()}\n\n`);
process.stdout.write(`### Admission, ten million accounts\n\n${manyAccounts()}\n\n`);
const peaks = await memoryUnderLoad(2 * seconds);
process.stdout.write(`### Memory\n\nAt most ${peaks.map(whole).join(', then ')} MiB, under load without a pause.\n\n`);
process.stdout.write(`### Start\n\nFirst answer with status 200 after ${whole(await firstAnswerMs(starts))} ms.\n`);
