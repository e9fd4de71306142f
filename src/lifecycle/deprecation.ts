/** What an operation's deprecation says. */
export interface Deprecation {
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation has been deprecated. */
  readonly since: string;
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation is gone. */
  readonly sunset: string;
  /** Path of what to use in its place. */
  readonly successor: string;
  /** How the successor takes the operation's place, for people. */
  readonly advice: string;
  /** Path of the page about this deprecation. */
  readonly documentation: string;
}

/** A deprecation, with everything that answers need of it worked out. */
export interface DeprecationNotice extends Deprecation {
  readonly headers: Readonly<Record<string, string>>;
}

/** Deprecation is RFC 9745, Sunset RFC 8594; `successor-version` is RFC 5829, `deprecation` RFC 9745 section 3. */
export function notice(deprecation: Deprecation): DeprecationNotice {
  return {
    ...deprecation,
    headers: {
      deprecation: `@${Date.parse(deprecation.since) / 1000}`,
      sunset: new Date(deprecation.sunset).toUTCString(),
      link:
        `<${deprecation.successor}>; rel="successor-version", ` +
        `<${deprecation.documentation}>; rel="deprecation"; type="text/html"`,
    },
  };
}
