import { Logger } from '@nestjs/common';

/** Events of one kind within this time after the first are logged as a count. */
const WINDOW_MS = 10_000;
const MAX_VARIANTS = 5;

type Fields = Readonly<Record<string, unknown>>;

interface Sample {
  readonly kind: Fields;
  readonly loggedVariants: Set<string>;
  notLogged: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * Logs events that can come by the thousand, as in an outage: the first of each kind and variant in full, and the number of
 * the others after a while.
 */
export class SampledLog {
  private readonly samples = new Map<string, Sample>();

  constructor(
    private readonly context: string,
    private readonly level: 'error' | 'warn',
    private readonly messages: { readonly first: string; readonly others: string },
  ) {}

  /**
   * @param kind fields of both lines
   * @param details further fields of the first line
   * @param variant the cause, if events of one kind can have different ones
   */
  add(kind: Fields, details: Fields, variant = ''): void {
    const name = JSON.stringify(kind);
    const sample = this.samples.get(name) ?? this.open(name, kind);
    if (sample.loggedVariants.has(variant) || sample.loggedVariants.size === MAX_VARIANTS) {
      sample.notLogged += 1;
      return;
    }
    sample.loggedVariants.add(variant);
    new Logger(this.context)[this.level]({ message: this.messages.first, ...kind, ...details });
  }

  flush(): void {
    for (const [name, sample] of this.samples) this.close(name, sample);
  }

  private open(name: string, kind: Fields): Sample {
    const timer = setTimeout(() => this.close(name, sample), WINDOW_MS).unref();
    const sample: Sample = { kind, loggedVariants: new Set(), notLogged: 0, timer };
    this.samples.set(name, sample);
    return sample;
  }

  private close(name: string, { kind, notLogged: count, timer }: Sample): void {
    clearTimeout(timer);
    this.samples.delete(name);
    if (count > 0) new Logger(this.context)[this.level]({ message: this.messages.others, ...kind, count });
  }
}
