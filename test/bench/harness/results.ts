import type { Measurement } from './measure.js';
import { median } from './statistics.js';

export type Figure = (measurement: Measurement) => number;

/** The measurements of a run. All figures are medians; NaN where nothing was measured. */
export class Results {
  constructor(private readonly measurements: readonly Measurement[]) {}

  value(contender: string, name: string, figure: Figure): number {
    return median(this.values(contender, name, figure));
  }

  /** Compares measurements of the same second, because the speed of the machine varies over time. */
  ratio(contender: string, other: string, name: string, figure: Figure): number {
    const theirs = this.values(other, name, figure);
    return median(this.values(contender, name, figure).map((value, second) => value / (theirs[second] ?? Number.NaN)));
  }

  /** The peak of each start is that of its last case, because it grows from case to case. */
  peakMemoryMiB(contender: string): number {
    const last = this.measurements.findLast((one) => one.contender === contender)?.case ?? '';
    return this.value(contender, last, (of) => of.peakMemoryMiB);
  }

  private values(contender: string, name: string, figure: Figure): number[] {
    return this.measurements.filter((one) => one.contender === contender && one.case === name).map(figure);
  }
}
