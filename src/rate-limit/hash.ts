import type { Key } from './table-entry.js';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** 32 well-mixed bits of a key: FNV-1a, finished as in MurmurHash3. */
export function hash(key: Key, seed: number): number {
  return typeof key === 'number' ? mix(key ^ seed) : mix(fold(key, seed));
}

function fold(text: string, seed: number): number {
  let state = FNV_OFFSET ^ seed;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), FNV_PRIME);
  }
  return state;
}

function mix(bits: number): number {
  let mixed = bits ^ (bits >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
