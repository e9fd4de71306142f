import { applyDecorators } from '@nestjs/common';
import { Expose, plainToInstance, Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsUrl, Matches, Max, Min, validateSync } from 'class-validator';
import { IsCidr } from './cidr.js';
import { IsRedisUrl } from './redis-url.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Reads a decimal integer strictly, so that `1e3` or ` 5` is reported instead of coerced. */
const Integer = () =>
  Transform(({ value }) => (typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value));

const IsIntegerFrom = (least: number, most: number) => {
  const message = `$property must be an integer from ${least} to ${most}`;
  return applyDecorators(IsInt({ message }), Min(least, { message }), Max(most, { message }));
};

const Flag = () => Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value));

const List = () =>
  Transform(({ value }) => (typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value));

const WEB_URL = { protocols: ['http', 'https'], require_protocol: true, require_tld: false, disallow_auth: true };
const isOrigin = /^https?:\/\/[^/?#@*\s]+$/;

/** Every setting of the service. Property names are the names of the environment variables. */
export class Env {
  /** TCP port; 0 takes a free one. */
  @Expose()
  @Integer()
  @IsIntegerFrom(0, 65_535)
  PORT = 3000;

  /** Address to listen on; all of them by default. */
  @Expose()
  @IsOptional()
  @Matches(/^[^\s]+$/, { message: 'HOST must be a host name or an IP address' })
  HOST?: string;

  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://...`. Unset: `sqlite:data/petstore.sqlite`, with samples on the first start. */
  @Expose()
  @IsOptional()
  @Matches(/^(sqlite:.+|postgres(ql)?:\/\/[^\s]+)$/, { message: 'DATABASE_URL must be sqlite:<path>, sqlite::memory: or postgres://user:password@host:port/database' })
  DATABASE_URL?: string;

  /** Most connections that one instance has to PostgreSQL. */
  @Expose()
  @Integer()
  @IsIntegerFrom(1, 1_000)
  DATABASE_POOL_SIZE = 10;

  /**
   * How long requests wait for one of these connections while none gets through, in milliseconds, and then for a new one.
   * By default both waits and a statement together take no more than 2 s.
   */
  @Expose()
  @Integer()
  @IsIntegerFrom(1, 60_000)
  DATABASE_POOL_WAIT_MS = 600;

  /** How long a statement may take on PostgreSQL, in milliseconds; waiting for locks included. */
  @Expose()
  @Integer()
  @IsIntegerFrom(1, 3_600_000)
  DATABASE_STATEMENT_TIMEOUT_MS = 700;

  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. Unset: counters in the process. */
  @Expose()
  @IsOptional()
  @IsRedisUrl({ message: 'REDIS_URL must be redis:// or rediss://, such as redis://user:password@redis.example.com:6379/0' })
  REDIS_URL?: string;

  /** Begins the names of all keys in Redis. */
  @Expose()
  @Matches(/^[^\s{}]{1,100}$/, { message: 'REDIS_PREFIX must have 1 to 100 characters, without white space and braces' })
  REDIS_PREFIX = 'petstore:';

  /** Public address of the API, version prefix included, such as `https://api.example.com/v1`. */
  @Expose()
  @IsOptional()
  @IsUrl(WEB_URL, { message: 'BASE_URL must be an absolute http or https URL' })
  @Matches(/^[^?#]+\/v1$/, { message: 'BASE_URL must end in /v1' })
  BASE_URL?: string;

  /** Public address of the staging environment, version prefix included. */
  @Expose()
  @IsOptional()
  @IsUrl(WEB_URL, { message: 'STAGING_BASE_URL must be an absolute http or https URL' })
  @Matches(/^[^?#]+\/v1$/, { message: 'STAGING_BASE_URL must end in /v1' })
  STAGING_BASE_URL?: string;

  /** CIDR blocks of the proxies whose X-Forwarded-For is believed; none by default. */
  @Expose()
  @List()
  @IsCidr({ each: true, message: 'TRUST_PROXY must be a comma-separated list of CIDR blocks, such as 10.0.0.0/8' })
  TRUST_PROXY: string[] = [];

  /** Origins that browsers may call from, or `*`; none by default. */
  @Expose()
  @List()
  @Matches(new RegExp(`^\\*$|${isOrigin.source}`), {
    each: true,
    message: 'CORS_ORIGINS must be * or a comma-separated list of origins, such as https://app.example.com',
  })
  CORS_ORIGINS: string[] = [];

  /** Least severe level that is logged. `debug` adds a line for each request. */
  @Expose()
  @IsIn(LOG_LEVELS, { message: `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Failed authentications that one client address may make a minute. */
  @Expose()
  @Integer()
  @IsIntegerFrom(1, 1_000_000_000)
  ANONYMOUS_PER_MINUTE = 300;

  /** Failed authentications that one client address may make a UTC day. */
  @Expose()
  @Integer()
  @IsIntegerFrom(1, 1_000_000_000)
  ANONYMOUS_PER_DAY = 10_000;

  /** Keeps operations alive, and documented, after their removal date. */
  @Expose()
  @Flag()
  @IsBoolean({ message: 'SERVE_AFTER_SUNSET must be true or false' })
  SERVE_AFTER_SUNSET = false;
}

/** The environment does not describe a service that can run; `message` has one line for each variable at fault. */
export class ConfigError extends Error {}

/**
 * Reads and validates all settings at once.
 * @throws ConfigError that names every bad variable.
 */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const env = plainToInstance(Env, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
  const faults = validateSync(env, { validationError: { target: false } });
  const lines = faults.map((fault) => [...new Set(Object.values(fault.constraints ?? {}))].join('; '));
  if (env.ANONYMOUS_PER_DAY < env.ANONYMOUS_PER_MINUTE) {
    lines.push(`ANONYMOUS_PER_DAY (${env.ANONYMOUS_PER_DAY}) must not be below ANONYMOUS_PER_MINUTE (${env.ANONYMOUS_PER_MINUTE})`);
  }
  if (lines.length > 0) throw new ConfigError(['The configuration is not valid:', ...lines].join('\n  '));
  return env;
}
