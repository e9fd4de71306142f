import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Size of the buffer for a slow reader of standard output, in bytes. */
const MAX_WAITING_BYTES = 1_048_576;
/** Retry interval for buffered lines, in milliseconds. */
const RETRY_INTERVAL_MS = 50;
/** How long the process waits for the reader when it ends, in milliseconds. */
const EXIT_WAIT_MS = 1_000;
const EXIT_RETRY_INTERVAL_MS = 5;

/**
 * Standard output for log lines; never waits for its reader. A line is written at once, because the last lines before a
 * crash matter most. If the reader of a pipe is too slow, lines are buffered up to a bound and then dropped.
 */
export class StandardOutput {
  private static instance: StandardOutput | undefined;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | undefined;
  private dropListener: ((count: number) => void) | undefined;

  /** @param fileDescriptor must be non-blocking */
  constructor(private readonly fileDescriptor: number) {}

  /** One for the whole process. */
  static get(): StandardOutput {
    this.instance ??= new StandardOutput(nonBlocking(process.stdout.fd)).flushAtExit();
    return this.instance;
  }

  /** @param listener gets the number of dropped lines when the reader is back */
  onDropped(listener: (count: number) => void): void {
    this.dropListener = listener;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    // The pipe is full while lines are buffered; only the timer retries.
    if (this.timer === undefined) this.drain();
  }

  /** Writes as much as the pipe accepts. */
  private drain(): void {
    for (let [first] = this.waiting; first !== undefined; [first] = this.waiting) {
      const count = this.tryWrite(first);
      this.waitingBytes -= count;
      if (count < first.length) {
        this.waiting[0] = first.subarray(count);
        this.timer = setTimeout(() => this.drain(), RETRY_INTERVAL_MS).unref();
        return;
      }
      this.waiting.shift();
    }
    this.timer = undefined;
    this.reportDropped();
  }

  /** @returns the number of bytes written or dropped */
  private tryWrite(bytes: Buffer): number {
    try {
      return writeSync(this.fileDescriptor, bytes);
    } catch (error) {
      // The reader is gone, or the disk is full: drop the line.
      return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : bytes.length;
    }
  }

  private reportDropped(): void {
    const count = this.dropped;
    this.dropped = 0;
    if (count > 0) this.dropListener?.(count);
  }

  private flushAtExit(): this {
    process.once('exit', () => {
      const deadlineMs = performance.now() + EXIT_WAIT_MS;
      const pause = new Int32Array(new SharedArrayBuffer(4));
      while (this.waiting.length > 0 && performance.now() < deadlineMs) {
        this.drain();
        if (this.waiting.length > 0) Atomics.wait(pause, 0, 0, EXIT_RETRY_INTERVAL_MS);
      }
    });
    return this;
  }
}

/** Node opens process.stdout as non-blocking if it is a pipe or a socket, but not if it is a terminal. */
function nonBlocking(fileDescriptor: number): number {
  if (!isatty(fileDescriptor)) return fileDescriptor;
  try {
    return openSync(`/dev/fd/${fileDescriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // The terminal of another user, as behind su, still accepts lines.
    return fileDescriptor;
  }
}
