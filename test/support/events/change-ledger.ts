/** An event as consumers get it. */
export interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What must be in the log for one acknowledged change. `data` is absent if the response had none. */
interface Acknowledged {
  readonly type: string;
  readonly data?: string | undefined;
}

/** Notes what a service has acknowledged, and compares it with the events that it tells. */
export class ChangeLedger {
  private readonly acknowledged = new Map<string, Acknowledged[]>();
  /** The types of changes whose responses were lost, by subject; of creations, by the name or the pet in their data. */
  private readonly unknown = new Map<string, readonly string[]>();
  private readonly unknownCreations = new Set<string>();

  get size(): number {
    return [...this.acknowledged.values()].flat().length;
  }

  get unknowns(): number {
    return this.unknown.size + this.unknownCreations.size;
  }

  note(subject: string, type: string, data?: object): void {
    const known = this.acknowledged.get(subject) ?? [];
    this.acknowledged.set(subject, [...known, { type, data: data && JSON.stringify(data) }]);
  }

  /** A change that may have happened. Nothing more may be noted of its subject. */
  noteUnknown(subject: string, type: string): void {
    this.unknown.set(subject, [...(this.unknown.get(subject) ?? []), type]);
  }

  noteUnknownCreation(mark: string): void {
    this.unknownCreations.add(mark);
  }

  /** Empty if there is one event for each change, in the order of the changes of its subject, and no other. */
  faultsOf(events: readonly EventBody[]): object[] {
    const bySubject = Map.groupBy(events, ({ subject }) => subject);
    const faults: object[] = [];
    for (const [subject, expected] of this.acknowledged) {
      const found = bySubject.get(subject) ?? [];
      const isSame = expected.every(({ type, data }, index) => {
        const event = found[index];
        return event?.type === type && (data === undefined || JSON.stringify(event.data) === data);
      });
      const more = found.slice(expected.length).map(({ type }) => type);
      const allowed = this.unknown.get(subject) ?? [];
      const isMoreKnown = more.length === 0 || JSON.stringify(more) === JSON.stringify(allowed);
      if (!isSame || !isMoreKnown) faults.push({ subject, expected, found, allowed });
      bySubject.delete(subject);
    }
    const marks = new Set(this.unknownCreations);
    for (const [subject, found] of bySubject) {
      const [data] = found.map((event) => event.data);
      const mark = [data?.['name'], data?.['petId']].map(String).find((one) => marks.has(one));
      if (mark === undefined || found.length !== 1) faults.push({ subject, unexpected: found });
      else marks.delete(mark);
    }
    return faults;
  }
}

/** The events of each subject in the order of arrival, without repetitions. */
export function firstArrivals(events: readonly EventBody[]): EventBody[] {
  const known = new Set<string>();
  return events.filter(({ id }) => !known.has(id) && known.add(id));
}

export function orderOfSubjects(events: readonly EventBody[]): Record<string, string[]> {
  const bySubject = Map.groupBy(events, ({ subject }) => subject);
  return Object.fromEntries([...bySubject].map(([subject, found]) => [subject, found.map(({ id }) => id)]));
}
