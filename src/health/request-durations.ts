/** Upper bounds of the buckets, in seconds. */
const BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, Infinity];
const NAME = 'http_request_duration_seconds';

/** The answers of one route with the same method and status. */
class Series {
  private readonly buckets = BOUNDS_SECONDS.map((boundSeconds) => ({ boundSeconds, count: 0 }));
  private sumSeconds = 0;

  constructor(
    private readonly route: string,
    readonly method: string,
    readonly status: number,
  ) {}

  add(seconds: number): void {
    for (const bucket of this.buckets) {
      if (seconds > bucket.boundSeconds) continue;
      bucket.count += 1;
      break;
    }
    this.sumSeconds += seconds;
  }

  lines(): string[] {
    const labels = `method="${this.method}",route=${JSON.stringify(this.route)},status="${this.status}"`;
    let total = 0;
    const buckets = this.buckets.map(({ boundSeconds, count }) => {
      const bound = boundSeconds === Infinity ? '+Inf' : boundSeconds;
      return `${NAME}_bucket{le="${bound}",${labels}} ${(total += count)}`;
    });
    return [...buckets, `${NAME}_sum{${labels}} ${this.sumSeconds}`, `${NAME}_count{${labels}} ${total}`];
  }
}

/**
 * How long requests took, as a histogram by method, route and status.
 * That of prom-client makes text of the labels for each observation, which took 5 % of the whole request.
 */
export class RequestDurations {
  private readonly byRoute = new Map<string, Series[]>();

  /** @param route its pattern, never a path that a client made up */
  observe(route: string, method: string, status: number, seconds: number): void {
    let all = this.byRoute.get(route);
    if (all === undefined) this.byRoute.set(route, (all = []));
    let series = all.find((one) => one.status === status && one.method === method);
    if (series === undefined) all.push((series = new Series(route, method, status)));
    series.add(seconds);
  }

  /** The Prometheus text format. */
  text(): string {
    const lines = [...this.byRoute.values()].flatMap((all) => all.flatMap((series) => series.lines()));
    return [`# HELP ${NAME} Requests by method, route and status, and how long they took.`, `# TYPE ${NAME} histogram`, ...lines, ''].join('\n');
  }
}
