import { createRequire } from 'node:module';
import { Matches } from 'class-validator';
import { ApiAddressSetting, CheckedListSetting, CheckedSetting, ChoiceSetting } from './setting.decorators.js';
import { FlagSetting, HttpUrlSetting, IntegerSetting, Setting } from './setting.decorators.js';
import { isWebhookAllowance, isCidr, isDatabaseUrl, isHost, isOrigin, isRedisUrl } from './setting.decorators.js';
import { isNoFolder, isSecurityContact } from './setting.decorators.js';

export const { version: VERSION } = createRequire(import.meta.url)('petstore-service/package.json') as {
  version: string;
};

const ENVIRONMENTS = ['production', 'staging'] as const;
const ACCESS_LOGS = ['off', 'sampled', 'all'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** All settings, by the names of their environment variables. docs/configuration.md explains each. */
export class Env {
  @IntegerSetting(0, 65_535) PORT = 3000;
  @IntegerSetting(1, 1_000_000) MAX_CONNECTIONS = 5_000;
  @IntegerSetting(1, 86_400) KEEP_ALIVE_SECONDS = 72;
  @CheckedSetting(isHost, '$property must be a host name, or an IP address without brackets and port') HOST?: string;

  @CheckedSetting(
    isDatabaseUrl,
    '$property must be sqlite::memory:, sqlite:<path of a file> without //, ~, $, ? and #, or ' +
      'postgres://user:password@host:port/database with one host, with parameters such as sslmode=verify-full, and with /, ?, #, @ and % of the user and the password ' +
      'percent-encoded, such as %23 for #',
  )
  @CheckedSetting(isNoFolder, '$property is a folder: name a file in it, such as petstore.sqlite')
  DATABASE_URL?: string;

  @ChoiceSetting(ENVIRONMENTS) ENVIRONMENT: (typeof ENVIRONMENTS)[number] = 'production';
  @FlagSetting() SAMPLE_DATA = true;
  @IntegerSetting(1, 1_000) DATABASE_POOL_SIZE = 10;

  /** For a connection of PostgreSQL, or for other writes on SQLite; and for a statement on PostgreSQL, waits included. */
  @IntegerSetting(1, 3_600_000) DATABASE_TIMEOUT_MS = 2_000;

  /** A transaction is then rolled back, so that a forgotten one blocks no others. */
  @IntegerSetting(1, 3_600_000) DATABASE_TRANSACTION_TIMEOUT_MS = 10_000;

  @FlagSetting() MIGRATE_ON_START = true;
  @IntegerSetting(1, 3_600_000) SLOW_STATEMENT_MS = 200;

  @CheckedSetting(
    isRedisUrl,
    '$property must be redis://host, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port, or ' +
      'rediss:// or rediss+cluster:// for TLS, such as redis://user:password@redis.example.com:6379/0, with /, ?, #, @ and % ' +
      'of the user and the password percent-encoded, such as %23 for #',
  )
  REDIS_URL?: string;

  /** Prefix of all keys in Redis, which belong to one database. Unset on staging: `petstore-staging:`. */
  @Setting()
  @Matches(/^[^\s{}]{1,100}$/, { message: '$property must have 1 to 100 characters, without white space and braces' })
  REDIS_PREFIX = 'petstore:';

  @IntegerSetting(20, 10_000) REDIS_TIMEOUT_MS = 500;
  @ApiAddressSetting() BASE_URL?: string;
  @ApiAddressSetting() STAGING_BASE_URL?: string;

  @CheckedListSetting(
    isCidr,
    '$property must be a comma-separated list of CIDR blocks, such as 10.0.0.0/8, that do not include every address',
  )
  TRUST_PROXY: string[] = [];

  @CheckedListSetting(
    isOrigin,
    '$property must be * or a comma-separated list of origins as browsers send them, such as https://app.example.com',
  )
  CORS_ORIGINS: string[] = [];

  @CheckedSetting(isSecurityContact, '$property must be a mailto: or https: URL, such as mailto:security@example.com')
  SECURITY_CONTACT?: string;

  @ChoiceSetting(LOG_LEVELS) LOG_LEVEL: (typeof LOG_LEVELS)[number] = 'info';
  @ChoiceSetting(ACCESS_LOGS) ACCESS_LOG: (typeof ACCESS_LOGS)[number] = 'off';
  @IntegerSetting(0, 1_000) METRICS_ACCOUNTS = 0;
  @IntegerSetting(0, 36_500) AUDIT_RETENTION_DAYS = 365;
  @IntegerSetting(0, 36_500) KEY_RETENTION_DAYS = 90;
  @ChoiceSetting(['on', 'off']) EVENTS: 'on' | 'off' = 'on';
  @IntegerSetting(0, 36_500) EVENT_RETENTION_DAYS = 30;

  @Setting()
  @Matches(/^[\x20-\x7e]{32,1000}$/, { message: 'WEBHOOK_KEY must have 32 to 1000 printable ASCII characters' })
  WEBHOOK_KEY?: string;

  @CheckedListSetting(
    isWebhookAllowance,
    '$property must be a comma-separated list of CIDR blocks, ports and http, such as 10.0.0.0/8,8443,http',
  )
  WEBHOOK_ALLOW: string[] = [];
  @IntegerSetting(0, 876_000) ORDER_EXPIRY_HOURS = 72;

  @HttpUrlSetting()
  @Matches(/(?<!\/v1\/traces\/?)$/, { message: '$property must not end in /v1/traces, which the service appends' })
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @IntegerSetting(1, 1_000_000_000) ANONYMOUS_PER_MINUTE = 300;
  @IntegerSetting(1, 1_000_000_000) ANONYMOUS_PER_DAY = 10_000;
  @FlagSetting() RATE_LIMIT_FIELDS = true;

  @Setting()
  @Matches(/^[\w.-]{1,100}$/, { message: 'REVISION must have 1 to 100 letters, digits, _, . and -' })
  REVISION = 'unknown';

  @FlagSetting() SERVE_AFTER_SUNSET = false;

  @Setting()
  @Matches(/^[\w.@-]{1,100}$/, { message: 'PETSTORE_OPERATOR must have 1 to 100 letters, digits, _, ., @ and -' })
  PETSTORE_OPERATOR?: string;
}
