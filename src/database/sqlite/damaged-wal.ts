import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/* The format of the file is https://www.sqlite.org/fileformat2.html#the_write_ahead_log. */

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Checksums of little-endian words, which the machines write that Node runs on. */
const MAGIC = 0x37_7f_06_82;
/** What is looked at of a long log, so that a start takes half a second longer at most. */
const MOST_BYTES = 268_435_456;

type Sums = readonly [number, number];

/**
 * SQLite drops all transactions from the first damaged frame on, and says nothing. A transaction that a process began to write
 * and did not commit is no damage, nor is what later transactions leave of it, or of a log before.
 * @returns the frames that will be dropped, up to the last commit that can be seen
 */
export function droppedFrames(walFile: string): { readonly frames: number; readonly bytes: number } {
  const none = { frames: 0, bytes: 0 };
  if (!existsSync(walFile)) return none;
  const file = openSync(walFile, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header) < HEADER_BYTES || header.readUInt32BE(0) !== MAGIC) return none;
    let salts = header.subarray(16, 24);
    let last = sumsAt(header, 24);
    let isDamaged = !isSame(last, checksum([0, 0], header.subarray(0, 24)));
    let [kept, frames] = [0, 0];
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + header.readUInt32BE(8));
    const page = frame.subarray(FRAME_HEADER_BYTES);
    const most = MOST_BYTES / frame.length;
    for (let count = 1; count <= most && readSync(file, frame) === frame.length; count += 1) {
      // The salts of a damaged header may be what is damaged.
      if (count === 1 && isDamaged) salts = Buffer.from(frame.subarray(8, 16));
      const expected = checksum(checksum(last, frame.subarray(0, 8)), page);
      last = sumsAt(frame, 16);
      const isValid = isSame(last, expected) && frame.subarray(8, 16).equals(salts);
      if (!isValid) isDamaged = true;
      const isCommit = frame.readUInt32BE(4) > 0;
      // Behind the damage, a commit that follows the frame before it shows that there was more.
      if (isValid && isCommit && isDamaged) frames = count - kept;
      else if (isValid && isCommit) kept = count;
    }
    return { frames, bytes: frames * frame.length };
  } finally {
    closeSync(file);
  }
}

function checksum([first, second]: Sums, bytes: Buffer): Sums {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let at = 0; at < words.length; at += 2) {
    first = (first + (words[at] ?? 0) + second) | 0;
    second = (second + (words[at + 1] ?? 0) + first) | 0;
  }
  return [first, second];
}

const sumsAt = (bytes: Buffer, at: number): Sums => [bytes.readInt32BE(at), bytes.readInt32BE(at + 4)];
const isSame = (one: Sums, other: Sums) => one[0] === other[0] && one[1] === other[1];
