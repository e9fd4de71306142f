/** A result that is expensive to make: made once for concurrent callers, and a limited number of times per second. */
export class SharedResult<Result> {
  private latest: Promise<Result> | undefined;
  private isMaking = false;
  private second = 0;
  private madeInSecond = 0;

  /** @param now monotonic clock, in milliseconds */
  constructor(
    private readonly make: () => Promise<Result>,
    private readonly maxPerSecond: number,
    private readonly now = () => performance.now(),
  ) {}

  /** A new result, or the latest one. */
  get(): Promise<Result> {
    const second = Math.floor(this.now() / 1000);
    if (second !== this.second) this.madeInSecond = 0;
    this.second = second;
    const isDue = !this.isMaking && this.madeInSecond < this.maxPerSecond;
    if (this.latest === undefined || isDue) this.latest = this.makeNew();
    return this.latest;
  }

  private async makeNew(): Promise<Result> {
    this.isMaking = true;
    this.madeInSecond += 1;
    try {
      return await this.make();
    } finally {
      this.isMaking = false;
    }
  }
}
