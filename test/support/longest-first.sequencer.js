import Sequencer from '@jest/test-sequencer';

/** Specs that take about a minute or more, longest first: they build the image or the service, or install the package. */
const LONGEST = [
  'docker/built-image.spec.ts',
  'docs/commands.spec.ts',
  'package/package.spec.ts',
  // Its image waits for that of the first.
  'package/own-package.spec.ts',
  'docs/new-feature.spec.ts',
];

const rank = ({ path }) => LONGEST.findIndex((name) => path.endsWith(`/test/${name}`));

/** Starts the longest specs first, so that none of them runs alone at the end. */
export default class LongestFirstSequencer extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- jest's method, not that of an array
    const sorted = await super.sort(tests);
    const long = sorted.filter((test) => rank(test) >= 0).toSorted((a, b) => rank(a) - rank(b));
    return [...long, ...sorted.filter((test) => rank(test) < 0)];
  }
}
