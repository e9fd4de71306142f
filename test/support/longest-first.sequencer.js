import Sequencer from '@jest/test-sequencer';

/** Specs that take minutes, longest first: building the image, and following the manual. */
const LONGEST = ['docker/built-image.spec.ts', 'docs/commands.spec.ts', 'docker/docker.spec.ts'];

const rank = ({ path }) => LONGEST.findIndex((name) => path.endsWith(`/test/${name}`));

/** Starts with the specs that take minutes, so that none of them is left for the end, when other workers are idle. */
export default class LongestFirstSequencer extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- jest's method, not that of an array
    const sorted = await super.sort(tests);
    const long = sorted.filter((test) => rank(test) >= 0).toSorted((a, b) => rank(a) - rank(b));
    return [...long, ...sorted.filter((test) => rank(test) < 0)];
  }
}
