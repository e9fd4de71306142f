import sonicBoom from 'sonic-boom';

const MAX_WAITING_BYTES = 1_048_576;
const RETRY_INTERVAL_MS = 50;
const EXIT_WAIT_MS = 1_000;
/** The stream keeps its lines, and writes them once the reader continues or the disk has room. */
const IS_RETRIED = new Set(['EAGAIN', 'EBUSY', 'ENOSPC', 'EDQUOT']);

/**
 * Standard output for log lines; never waits for the reader of a pipe. A line is written at once, because the last lines
 * before a crash matter most. If the reader is too slow, lines are buffered up to a bound and then dropped.
 */
export class StandardOutput {
  private static instance: StandardOutput | undefined;
  private readonly stream: sonicBoom.SonicBoom;
  droppedLines = 0;
  private reportedLines = 0;
  private waitingLines = 0;
  private hasFailed = false;
  /** Gets the number of dropped lines when the reader is back. */
  onDropped: ((count: number) => void) | undefined;
  private waitUntilMs = 0;

  /** @param fileDescriptor non-blocking, as Node opens process.stdout if it is a pipe */
  constructor(fileDescriptor: number) {
    this.stream = new sonicBoom.SonicBoom({
      fd: fileDescriptor,
      sync: true,
      maxLength: MAX_WAITING_BYTES,
      periodicFlush: RETRY_INTERVAL_MS,
      // Waits for the reader instead of raising an error.
      retryEAGAIN: () => performance.now() < this.waitUntilMs,
    });
    this.stream.on('drop', () => {
      this.hasFailed = true;
      this.waitingLines -= 1;
      this.droppedLines += 1;
    });
    this.stream.on('drain', () => {
      this.waitingLines = 0;
      const count = this.droppedLines - this.reportedLines;
      this.reportedLines = this.droppedLines;
      if (count > 0) this.onDropped?.(count);
    });
    this.stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.hasFailed = true;
      if (IS_RETRIED.has(String(code))) return;
      // The reader is gone, so that lines in the buffer are lost too.
      this.droppedLines += this.waitingLines;
      this.waitingLines = 0;
    });
  }

  static get(): StandardOutput {
    this.instance ??= new StandardOutput(process.stdout.fd).flushAtExit();
    return this.instance;
  }

  write(line: string): void {
    this.waitingLines += 1;
    this.hasFailed = false;
    this.stream.write(line);
    // The stream is synchronous, and writes what was waiting first.
    if (!this.hasFailed) this.waitingLines = 0;
  }

  private flushAtExit(): this {
    process.once('exit', () => {
      this.waitUntilMs = performance.now() + EXIT_WAIT_MS;
      try {
        this.stream.flushSync();
      } catch {
        // The reader did not continue in time, or is gone.
      }
    });
    return this;
  }
}
