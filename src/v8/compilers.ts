import { setFlagsFromString } from 'node:v8';

/** V8's own number is 3,000. */
const CALLS = 1_000;

/**
 * Makes V8 compile functions with its best compiler once they were called this often, and leaves out Maglev, the one
 * before. The functions of a request all become due for a compiler at the same moment, and more than a hundred
 * compilations by Maglev at a time take 17 MB of resident memory for good. To be called after the start, which calls much
 * that no request does, and is a twentieth slower without Maglev.
 */
export function chooseCompilers(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS}`);
}
