import type { FastifyReply } from 'fastify';
import type { Env } from '../platform/index.js';
import { ApiError, addLink, publicPath } from '../http/index.js';

/** Key of a `Deprecation`, for Nest's Reflector. */
export const DEPRECATION = 'petstore:deprecation';

/** The deprecation of an operation. */
export interface Deprecation {
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation has been deprecated. */
  readonly since: string;
  /** Date (`YYYY-MM-DD`, start of that day in UTC) from which the operation is gone. */
  readonly sunset: string;
  /** Path of the successor, such as `/v1/pets`. Links put it below the path of BASE_URL. */
  readonly successor: string;
  /** How to migrate to the successor, for people. */
  readonly advice: string;
  /** Path, or absolute URL, of the page about this deprecation. */
  readonly documentation: string;
}

/** Statuses of guards, which respond before a deprecation is announced. */
export const GUARD_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** The headers that announce a deprecation: RFC 9745, RFC 8594, and links of RFC 5829 and RFC 9745, section 3. */
export type Announcement = Readonly<Record<'deprecation' | 'sunset' | 'link', string>>;

export function announcement({ since, sunset, successor, documentation }: Deprecation, env: Env): Announcement {
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${publicPath(env, successor)}>; rel="successor-version", <${publicPath(env, documentation)}>; rel="deprecation"; type="text/html"`,
  };
}

/** Adds the headers to a response. */
export function announce({ deprecation, sunset, link }: Announcement, reply: FastifyReply): void {
  reply.header('deprecation', deprecation).header('sunset', sunset);
  addLink(reply, link);
}

/** The error from the removal date on. */
export function operationRemoved({ sunset, advice }: Deprecation): ApiError {
  return new ApiError('operation_removed', `This operation was removed on ${sunset}. ${advice}`);
}

/** The deprecation of a handler, if it has one. */
export function deprecationOf(handler: Function): Deprecation | undefined {
  return Reflect.getMetadata(DEPRECATION, handler) as Deprecation | undefined;
}

/** When an operation with this removal date (`YYYY-MM-DD`, UTC) ends, in Unix time in milliseconds; never if a setting keeps it. */
export function removalMs(sunset: string, env: Env): number {
  return env.SERVE_AFTER_SUNSET ? Infinity : Date.parse(sunset);
}
