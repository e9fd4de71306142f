import { IsIn, Matches } from 'class-validator';
import { isCidr, isDatabaseUrl, isHost, isOrigin, isRedisUrl } from './setting-checks.js';
import {
  ApiAddressSetting,
  CheckedListSetting,
  CheckedSetting,
  FlagSetting,
  HttpUrlSetting,
  IntegerSetting,
  Setting,
} from './setting.decorators.js';

/** The version of the service, as in package.json. */
export const VERSION = '2.0.1';

const ENVIRONMENTS = ['production', 'staging'] as const;
const ACCESS_LOGS = ['off', 'sampled', 'all'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** All settings of the service. Property names are the names of the environment variables. */
export class Env {
  /** TCP port; 0 picks a free one. */
  @IntegerSetting(0, 65_535)
  PORT = 3000;

  /** Maximum number of open connections to clients. Further ones are closed. Each needs a file descriptor. */
  @IntegerSetting(1, 1_000_000)
  MAX_CONNECTIONS = 5_000;

  /** How long an idle connection of a client stays open, in seconds. Load balancers should close theirs before. */
  @IntegerSetting(1, 86_400)
  KEEP_ALIVE_SECONDS = 72;

  /** Address to listen on. Unset: all addresses. */
  @CheckedSetting(isHost, '$property must be a host name, or an IP address without brackets and port')
  HOST?: string;

  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://...`. Unset: a file for each environment. */
  @CheckedSetting(
    isDatabaseUrl,
    '$property must be sqlite::memory:, sqlite:<path of a file> without //, ~, $, ? and #, or ' +
      'postgres://user:password@host:port/database with one host, and with /, ?, #, @ and % of the user and the password ' +
      'percent-encoded, such as %23 for #',
  )
  DATABASE_URL?: string;

  /** Production makes and accepts `psk_live_` keys only; staging `psk_test_` keys only, and rehearses errors on request. */
  @Setting()
  @IsIn(ENVIRONMENTS, { message: `ENVIRONMENT must be one of ${ENVIRONMENTS.join(', ')}` })
  ENVIRONMENT: (typeof ENVIRONMENTS)[number] = 'production';

  /** Whether the first start without DATABASE_URL creates sample pets and prints a key. The image sets it to `false`. */
  @FlagSetting()
  SAMPLE_DATA = true;

  /** Maximum number of connections of one instance to PostgreSQL for requests. Readiness has one more. */
  @IntegerSetting(1, 1_000)
  DATABASE_POOL_SIZE = 10;

  /**
   * How long a request waits for a connection of PostgreSQL, or for other writes on SQLite, in milliseconds. A statement on
   * PostgreSQL, including its waits for locks, can take as long.
   */
  @IntegerSetting(1, 3_600_000)
  DATABASE_TIMEOUT_MS = 2_000;

  /** How long a transaction can take, in milliseconds. It is then rolled back, so that a forgotten one blocks no others. */
  @IntegerSetting(1, 3_600_000)
  DATABASE_TRANSACTION_TIMEOUT_MS = 10_000;

  /** Whether the start runs pending migrations on PostgreSQL. Otherwise it waits until another process has run them. */
  @FlagSetting()
  MIGRATE_ON_START = true;

  /** A statement that takes longer is logged, on PostgreSQL with the sessions that block it, in milliseconds. */
  @IntegerSetting(1, 3_600_000)
  SLOW_STATEMENT_MS = 200;

  /**
   * `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, or
   * `redis+sentinel://[user:password@]host:port,host:port/master-name[/database]`. Unset: counters in the process.
   */
  @CheckedSetting(
    isRedisUrl,
    '$property must be redis://, rediss:// or redis+sentinel://, such as redis://user:password@redis.example.com:6379/0',
  )
  REDIS_URL?: string;

  /** Prefix of all keys in Redis, which belong to one database. Unset on staging: `petstore-staging:`. */
  @Setting()
  @Matches(/^[^\s{}]{1,100}$/, {
    message: 'REDIS_PREFIX must have 1 to 100 characters, without white space and braces',
  })
  REDIS_PREFIX = 'petstore:';

  /** How long a command to Redis can take, in milliseconds, before an instance decides with local counters. */
  @IntegerSetting(20, 10_000)
  REDIS_TIMEOUT_MS = 500;

  /** Public address of the API, version prefix included, such as `https://api.example.com/v1`. */
  @ApiAddressSetting()
  BASE_URL?: string;

  /** Public address of the staging environment, version prefix included. */
  @ApiAddressSetting()
  STAGING_BASE_URL?: string;

  /** CIDR blocks of the proxies whose X-Forwarded-For is trusted; none by default. */
  @CheckedListSetting(
    isCidr,
    '$property must be a comma-separated list of CIDR blocks, such as 10.0.0.0/8, that do not include every address',
  )
  TRUST_PROXY: string[] = [];

  /** Origins that browsers can call from, or `*`; none by default. */
  @CheckedListSetting(
    isOrigin,
    '$property must be * or a comma-separated list of origins as browsers send them, such as https://app.example.com',
  )
  CORS_ORIGINS: string[] = [];

  /** Least severe level that is logged. `debug` adds a line for each request. */
  @Setting()
  @IsIn(LOG_LEVELS, { message: `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}` })
  LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';

  /** Which requests are logged. `sampled` means one in a hundred. */
  @Setting()
  @IsIn(ACCESS_LOGS, { message: `ACCESS_LOG must be one of ${ACCESS_LOGS.join(', ')}` })
  ACCESS_LOG: (typeof ACCESS_LOGS)[number] = 'off';

  /** Of how many accounts metrics show the requests by name: those with most; 0 for none. */
  @IntegerSetting(0, 1_000)
  METRICS_ACCOUNTS = 0;

  /** How long audit records are kept, in days; 0 for ever. */
  @IntegerSetting(0, 36_500)
  AUDIT_RETENTION_DAYS = 365;

  /** How long keys are kept after they expired or were revoked, in days; 0 for ever. */
  @IntegerSetting(0, 36_500)
  KEY_RETENTION_DAYS = 90;

  /** When an order that is still placed is cancelled, in hours; 0 for never. */
  @IntegerSetting(0, 876_000)
  ORDER_EXPIRY_HOURS = 72;

  /** Where traces are sent, by OTLP over HTTP. Unset: there are none. */
  @HttpUrlSetting()
  @Matches(/(?<!\/v1\/traces\/?)$/, { message: '$property must not end in /v1/traces, which is added' })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  /** Requests per minute without a valid key from one client address. */
  @IntegerSetting(1, 1_000_000_000)
  ANONYMOUS_PER_MINUTE = 300;

  /** Requests per UTC day without a valid key from one client address. */
  @IntegerSetting(1, 1_000_000_000)
  ANONYMOUS_PER_DAY = 10_000;

  /** Whether responses have RateLimit and RateLimit-Policy, whose draft can still change. */
  @FlagSetting()
  RATE_LIMIT_FIELDS = true;

  /** The commit that the service was built from, for metrics and the log. The image sets it. */
  @Setting()
  @Matches(/^[\w.-]{1,100}$/, { message: 'REVISION must have 1 to 100 letters, digits, _, . and -' })
  REVISION = 'unknown';

  /** Keeps operations alive, and documented, after their removal date. */
  @FlagSetting()
  SERVE_AFTER_SUNSET = false;
}
