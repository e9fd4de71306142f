import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs, { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StandardOutput } from './standard-output.js';

const LINES = 20_000;
const line = (n: number) => `${String(n).padStart(99, '.')}\n`;

let folder: string;
let pipe: number;
let output: StandardOutput;
let dropped: number[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-pipe-'));
  execFileSync('mkfifo', [join(folder, 'pipe'), join(folder, 'abandoned')]);
  pipe = openSync(join(folder, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
  output = new StandardOutput(pipe);
  dropped = [];
  output.onDropped = (count) => {
    dropped.push(count);
    output.write('lines were dropped\n');
  };
});
afterEach(async () => {
  await close(output);
  rmSync(folder, { recursive: true });
});

/** Otherwise the lines in its buffer would be written to the next file with the same descriptor. */
async function close(written: StandardOutput): Promise<void> {
  const stream = written['stream'];
  stream.destroy();
  await once(stream, 'close');
}

/** What the pipe holds. */
function read(): string {
  const buffer = Buffer.alloc(65_536);
  try {
    return buffer.toString('utf8', 0, readSync(pipe, buffer));
  } catch {
    return '';
  }
}

/** Reads until nothing more comes. */
async function readAll(): Promise<string> {
  let text = '';
  for (let quiet = 0; quiet < 5; quiet += 1) {
    for (let chunk = read(); chunk !== ''; chunk = read()) {
      text += chunk;
      quiet = 0;
    }
    await delay(30);
  }
  return text;
}

describe('standard output', () => {
  it('writes a line at once if the pipe has room', () => {
    output.write(line(1));
    expect(read()).toBe(line(1));
  });

  it('buffers up to 1 MiB for a stalled reader, and writes it later, complete and in order', async () => {
    for (let n = 0; n < LINES; n += 1) output.write(line(n));
    const lines = (await readAll()).split(/(?<=\n)/);
    const kept = lines.length - 1;
    expect(lines.slice(0, kept)).toEqual(Array.from({ length: kept }, (_, n) => line(n)));
    expect(kept * 100).toBeGreaterThan(1_048_576);
    expect(kept * 100).toBeLessThan(1_048_576 + 2 * 65_536);
  });

  it('reports how many lines were dropped when the reader continues', async () => {
    for (let n = 0; n < LINES; n += 1) output.write(line(n));
    expect(dropped).toEqual([]);
    const lines = (await readAll()).split('\n');
    expect(lines.slice(-2)).toEqual(['lines were dropped', '']);
    expect(dropped).toEqual([LINES - (lines.length - 2)]);
    output.write(line(1));
    expect(read()).toBe(line(1));
  });

  it('keeps lines for which the disk has no room, and writes them once it has', async () => {
    const write = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    for (let n = 0; n < 3; n += 1) output.write(line(n));
    write.mockRestore();
    expect(await readAll()).toBe([0, 1, 2].map(line).join(''));
    expect([output.droppedLines, dropped]).toEqual([0, []]);
  });

  it('ignores a reader that has gone away, and counts the lines that it does not get', async () => {
    const path = join(folder, 'abandoned');
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const abandoned = new StandardOutput(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    closeSync(reader);
    expect(() => {
      for (let n = 0; n < LINES; n += 1) abandoned.write(line(n));
    }).not.toThrow();
    expect(abandoned.droppedLines).toBe(LINES);
    // What is retried does not raise an error either.
    await delay(100);
    expect(abandoned.droppedLines).toBe(LINES);
    const next = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    expect(() => abandoned.write(line(1))).not.toThrow();
    closeSync(next);
    await close(abandoned);
  });
});
