import { deepStrictEqual } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Ask, send } from './ask.js';
import type { Case } from './cases.js';
import { type Contender, OURS } from './contenders.js';
import { start } from './running.js';
import type { Seed } from './seed.js';

/** A prepared response for the contender that sends constants. Headers are alternating names and values. */
export interface PreparedAnswer {
  readonly ask: Ask;
  readonly answer: { readonly status: number; readonly headers: string[]; readonly body: string };
}

/** How many different requests of each case are compared. */
const SAMPLES = 10;

/** Headers of the contract. If a value varies between responses, only the presence of the header is compared. */
const COMPARED = [
  'content-type',
  'www-authenticate',
  'location',
  'deprecation',
  'sunset',
  'cache-control',
  'vary',
  'x-content-type-options',
];
const PRESENT = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'];
/** Headers that Node adds. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive']);

/**
 * Checks that all contenders return the same responses.
 * @returns the file with our responses, for contenders that send constants
 * @throws AssertionError that shows the first difference
 */
export async function compareAnswers(
  seed: Seed,
  contenders: readonly Contender[],
  cases: readonly Case[],
): Promise<string> {
  const asks = cases.flatMap(({ deck }) => samplesOf(deck));
  const ours = await answersOf(OURS, asks, seed);
  const file = join(seed.folder, 'answers.json');
  const prepared = asks.map((ask, index): PreparedAnswer => ({ ask, answer: asConstant(ours[index]) }));
  writeFileSync(file, JSON.stringify(prepared));
  const compare = async (contender: Contender) => {
    const theirs = await answersOf(contender, asks, seed, file);
    asks.forEach((ask, index) => {
      const what = `${contender.title} does not answer ${ask.method} ${ask.path} as ours does`;
      deepStrictEqual({ what, ...comparable(theirs[index]) }, { what, ...comparable(ours[index]) });
    });
  };
  await Promise.all(contenders.map(compare));
  return file;
}

async function answersOf(contender: Contender, asks: readonly Ask[], seed: Seed, answers = ''): Promise<Answer[]> {
  const running = await start(contender, seed, answers);
  try {
    const all: Answer[] = [];
    for (const ask of asks) all.push(await send(ask, running.port));
    return all;
  } finally {
    await running.stop();
  }
}

/** Picks different requests, spread evenly over the deck. */
function samplesOf(deck: readonly Ask[]): Ask[] {
  const different = [...new Set(deck)];
  return different.filter((_, index) => index % Math.ceil(different.length / SAMPLES) === 0);
}

function comparable(answer: Answer | undefined) {
  if (answer === undefined) return {};
  const { status, headers, body } = answer;
  const created = status === 201;
  return {
    status,
    body: created ? { ...(JSON.parse(body) as object), id: 'some id' } : (JSON.parse(body) as unknown),
    headers: COMPARED.map((name) => [name, created ? headers[name]?.replace(/\d+$/, 'some id') : headers[name]]),
    // An earlier version may link to other pages, and errors to none.
    links: status < 400 ? [...(headers['link'] ?? '').matchAll(/rel="[^"]+"/g)].map(String) : [],
    present: PRESENT.filter((name) => name in headers),
  };
}

function asConstant(answer: Answer | undefined): PreparedAnswer['answer'] {
  if (answer === undefined) throw new Error('An answer is missing.');
  return {
    ...answer,
    headers: Object.entries(answer.headers)
      .filter(([name]) => !OF_NODE.has(name))
      .flat(),
  };
}
