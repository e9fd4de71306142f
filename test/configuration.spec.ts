import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { changedSettings, ConfigError, currentSecret, loadEnv } from '../src/platform/config/load-env.js';
import { shareFolder } from './support/share-folder.js';

const folder = shareFolder();

const BAD = {
  PORT: '80a',
  HOST: 'two words',
  DATABASE_URL: 'mysql://petstore:hunter2@localhost/petstore',
  REDIS_URL: 'http://default:hunter2@localhost:6379',
  REDIS_PREFIX: 'pet store:',
  BASE_URL: 'ftp://api.example.com/v1',
  STAGING_BASE_URL: 'https://staging.example.com',
  TRUST_PROXY: '10.0.0.0/33',
  CORS_ORIGINS: 'app.example.com',
  LOG_LEVEL: 'loud',
  ANONYMOUS_PER_MINUTE: '0',
  ANONYMOUS_PER_DAY: '1e3',
  SERVE_AFTER_SUNSET: 'yes',
  SAMPLE_DATA: 'no',
};
const MISSPELT = { DATABASE_URI: 'postgres://petstore:hunter2@localhost/petstore', LOG_LEVLE: 'debug' };

it('an invalid configuration is refused with the name of every invalid variable, and shows no secret', () => {
  const given = { ...BAD, ...MISSPELT };
  const load = () => loadEnv(given);
  expect(load).toThrow(ConfigError);
  for (const name of Object.keys(given)) expect(load).toThrow(name);
  expect(load).not.toThrow('hunter2');
});

describe('a setting', () => {
  it.each([
    ['PORT', '1e3'],
    ['PORT', ' 5'],
    ['PORT', '0x50'],
    ['PORT', '3000.5'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'petstore.sqlite'],
    ['DATABASE_URL', 'sqlite::memory'],
    ['DATABASE_URL', 'sqlite:memory:'],
    ['DATABASE_URL', 'sqlite:~/petstore.sqlite'],
    ['DATABASE_URL', 'sqlite:petstore.sqlite?mode=ro'],
    ['DATABASE_URL', 'sqlite:///var/lib/petstore.sqlite'],
    ['DATABASE_URL', 'sqlite:file:petstore.sqlite'],
    ['DATABASE_URL', 'sqlite:$HOME/petstore.sqlite'],
    ['DATABASE_URL', 'sqlite:petstore.sqlite '],
    ['DATABASE_URL', 'sqlite: petstore.sqlite'],
    ['DATABASE_URL', 'sqlite:data/'],
    ['DATABASE_URL', 'postgres://petstore:a#b@localhost/petstore'],
    ['DATABASE_URL', 'postgres://petstore:1?b@localhost/petstore'],
    ['DATABASE_URL', 'postgres://localhost/petstore?ssl_mode=require'],
    ['DATABASE_URL', 'postgres://localhost/petstore?application_name=a&sslmode=on'],
    ['DATABASE_URL', 'postgres://petstore:1/b@localhost/petstore'],
    ['DATABASE_URL', 'postgres://petstore:a@b@localhost/petstore'],
    ['DATABASE_URL', 'postgres://petstore:a%b@localhost/petstore'],
    ['DATABASE_URL', 'postgres://petstore:%ff@localhost/petstore'],
    ['DATABASE_URL', 'postgres://a,b/petstore'],
    ['DATABASE_URL', 'postgres://a:5432,b:5432/petstore'],
    ['DATABASE_URL', 'postgres://localhost:99999/petstore'],
    ['DATABASE_URL', 'postgres://localhost'],
    ['DATABASE_URL', 'postgres://localhost/'],
    ['HOST', '[::1]'],
    ['HOST', 'localhost:3000'],
    ['HOST', 'http://localhost'],
    ['HOST', '127.0.0'],
    ['DATABASE_POOL_WAIT_MS', '100'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '100'],
    ['LOG_LEVEL', 'info '],
    ['BASE_URL', '\thttps://api.example.com/v1'],
    ['REDIS_URL', 'redis://a,b:6379'],
    ['REDIS_URL', 'redis://:a#b@localhost'],
    ['REDIS_URL', ' redis://localhost'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318/v1/traces'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.0/8,::/0'],
    ['TRUST_PROXY', '0.0.0.0/1,128.0.0.0/1'],
    ['TRUST_PROXY', '::ffff:0:0/96'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis://localhost:99999'],
    ['REDIS_URL', 'redis://localhost/zero'],
    ['REDIS_URL', 'redis://localhost?db=1'],
    ['REDIS_URL', 'redis://:%zz@localhost'],
    ['REDIS_URL', 'redis+cluster://localhost'],
    ['REDIS_URL', 'redis+cluster://:%zz@localhost:6379'],
    ['REDIS_URL', 'redis+cluster://localhost:6379/1'],
    ['REDIS_PREFIX', 'pet{store}:'],
    ['BASE_URL', 'https://api.example.com'],
    ['BASE_URL', '/v1'],
    ['BASE_URL', 'https://api.example.com/v1/'],
    ['BASE_URL', 'https:api.example.com/v1'],
    ['BASE_URL', 'https:\\\\api.example.com\\v1'],
    ['BASE_URL', 'https://api.example.com/\tv1'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/8,'],
    ['TRUST_PROXY', '1'],
    ['CORS_ORIGINS', 'https://app.example.com/path'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['LOG_LEVEL', 'INFO'],
    ['SERVE_AFTER_SUNSET', '1'],
    ['SAMPLE_DATA', '0'],
  ])('is refused with its name: %s=%j', (name, value) => {
    expect(() => loadEnv({ [name]: value })).toThrow(ConfigError);
    expect(() => loadEnv({ [name]: value })).toThrow(name);
  });

  it.each(['sqlite:/tmp', 'sqlite:/', 'sqlite:nowhere/'])('is refused as a folder: DATABASE_URL=%s', (url) => {
    expect(() => loadEnv({ DATABASE_URL: url })).toThrow(/:\n {2}DATABASE_URL is a folder: name a file in it, .*$/);
  });

  it.each([
    ['DATABASE_URL', 'sqlite:data/a file.sqlite'],
    ['DATABASE_URL', 'sqlite:/nowhere/petstore.sqlite'],
    ['DATABASE_URL', 'postgres://petstore:%23%2F%40%25@[::1]:5432/petstore?sslmode=require'],
    ['DATABASE_URL', 'postgresql://petstore@/petstore?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres:///petstore'],
    ['HOST', '::1'],
    ['TRUST_PROXY', '10.0.0.0/8,fc00::/7,192.0.2.1,::1'],
    ['HOST', 'pet_store.internal'],
    ['REDIS_URL', 'redis://petstore:%23@[::1]:6379/0'],
    ['REDIS_URL', 'redis+cluster://a.example.com:6379,10.0.0.1:6380'],
    ['REDIS_URL', 'rediss+cluster://petstore:%23@a:6379'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318/'],
  ])('is accepted: %s=%j', (name, value) => {
    expect(String(loadEnv({ [name]: value })[name as 'HOST'])).toBe(value);
  });

  it.each([
    ['BASE_URL', 'https://пример.рф/v1', 'https://xn--e1afmkfd.xn--p1ai/v1'],
    [
      'STAGING_BASE_URL',
      'https://API.münchen.example:443/straße/v1',
      'https://api.xn--mnchen-3ya.example/stra%C3%9Fe/v1',
    ],
    ['BASE_URL', 'http://localhost:3000/v1', 'http://localhost:3000/v1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://bücher.example:4318', 'http://xn--bcher-kva.example:4318'],
    [
      'CORS_ORIGINS',
      'https://пример.рф, https://App.example.com:443,http://[::1]:80',
      ['https://xn--e1afmkfd.xn--p1ai', 'https://app.example.com', 'http://[::1]'],
    ],
    ['CORS_ORIGINS', '*', ['*']],
  ])('is kept in ASCII, as browsers send it: %s=%s', (name, value, kept) => {
    expect(loadEnv({ [name]: value })).toMatchObject({ [name]: kept });
  });

  it('is unset if it is empty', () => {
    const empty = Object.fromEntries(Object.keys(BAD).map((name) => [name, '']));
    expect(loadEnv(empty)).toEqual(loadEnv({}));
    expect(loadEnv(empty)).toMatchObject({
      PORT: 3000,
      LOG_LEVEL: 'info',
      ANONYMOUS_PER_MINUTE: 300,
      ANONYMOUS_PER_DAY: 10_000,
      SERVE_AFTER_SUNSET: false,
      SAMPLE_DATA: true,
    });
    expect(loadEnv(empty).DATABASE_URL).toBeUndefined();
    expect(loadEnv(empty)).toMatchObject({ REDIS_URL: undefined, REDIS_PREFIX: 'petstore:', REDIS_TIMEOUT_MS: 500 });
  });

  it('is read with its type', () => {
    const env = loadEnv({
      PORT: '0',
      TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32,127.0.0.1',
      CORS_ORIGINS: 'https://a.example, http://localhost:8080',
      SERVE_AFTER_SUNSET: 'true',
    });
    expect(env).toMatchObject({
      PORT: 0,
      TRUST_PROXY: ['10.0.0.0/8', '2001:db8::/32', '127.0.0.1'],
      CORS_ORIGINS: ['https://a.example', 'http://localhost:8080'],
      SERVE_AFTER_SUNSET: true,
    });
  });

  it('must be consistent: the day allows at least as much as the minute', () => {
    expect(() => loadEnv({ ANONYMOUS_PER_MINUTE: '20', ANONYMOUS_PER_DAY: '19' })).toThrow('ANONYMOUS_PER_DAY');
    expect(loadEnv({ ANONYMOUS_PER_MINUTE: '20', ANONYMOUS_PER_DAY: '20' }).ANONYMOUS_PER_DAY).toBe(20);
  });
});

function inFile(text: string): string {
  const file = join(folder, 'secret');
  writeFileSync(file, text);
  return file;
}

describe('a secret in a file', () => {
  it.each(['DATABASE_URL', 'REDIS_URL'] as const)('is the value of %s, without the line break at its end', (name) => {
    const url = `${name === 'REDIS_URL' ? 'redis' : 'postgres'}://petstore:hunter2@db.example.com/${name === 'REDIS_URL' ? '0' : 'petstore'}`;
    expect(loadEnv({ [`${name}_FILE`]: inFile(`${url}\n`) })[name]).toBe(url);
  });

  it('is validated like the variable, and not shown', () => {
    const secrets = { DATABASE_URL_FILE: inFile('mysql://petstore:hunter2@localhost') };
    expect(() => loadEnv(secrets)).toThrow('DATABASE_URL must be');
    expect(() => loadEnv(secrets)).not.toThrow('hunter2');
  });

  it('is refused if the file cannot be read, or the variable is set too', () => {
    expect(() => loadEnv({ REDIS_URL_FILE: '/nowhere' })).toThrow('REDIS_URL_FILE cannot be read: Error: ENOENT');
    const both = { REDIS_URL: 'redis://localhost', REDIS_URL_FILE: inFile('redis://localhost') };
    expect(() => loadEnv(both)).toThrow('REDIS_URL and REDIS_URL_FILE must not both be set');
  });

  it('is what the file has now, or had at the start if it is not valid or gone', () => {
    const file = inFile('redis://petstore:before@localhost');
    const env = loadEnv({ REDIS_URL_FILE: file });
    inFile('redis://petstore:after@localhost\n');
    expect(currentSecret(env, 'REDIS_URL')).toBe('redis://petstore:after@localhost');
    for (const invalid of ['redis://petstore:100%@localhost', 'rediss+cluster://petstore:%@a:1', 'after', '']) {
      inFile(invalid);
      expect(currentSecret(env, 'REDIS_URL')).toBe('redis://petstore:before@localhost');
    }
    rmSync(file);
    expect(currentSecret(env, 'REDIS_URL')).toBe('redis://petstore:before@localhost');
  });
});

it('the settings in the log are those that differ from their defaults, without secrets', () => {
  const BASE_URL = 'https://api.example.com/v1';
  const env = loadEnv({ PORT: '3000', BASE_URL, WEBHOOK_KEY: 'w'.repeat(32) });
  expect(changedSettings(env)).toEqual({ BASE_URL, WEBHOOK_KEY: '(set)' });
});

describe('a variable that is not a setting', () => {
  it.each([
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['SERVE_AFTER_SUNSETS', 'SERVE_AFTER_SUNSET'],
    ['LOG_LEVELL', 'LOG_LEVEL'],
    ['OG_LEVEL', 'LOG_LEVEL'],
    ['REDIS_URL_FLIE', 'REDIS_URL_FILE'],
  ])('but almost one is refused with a suggestion: %s', (name, meant) => {
    expect(() => loadEnv({ [name]: '5432' })).toThrow(`${name} is not a setting; did you mean ${meant}?`);
  });

  it.each([
    ['REDIS_TLS_URL', 'rediss://redis.example.com'],
    ['REDIS_HOST', 'redis.example.com'],
    ['REDIS_PORT', 'tcp://10.0.0.11:6379'],
    ['REDIS_SERVICE_HOST', '10.0.0.11'],
    ['REDIS_PORT_6379_TCP_ADDR', '10.0.0.11'],
    ['DATABASE_NAME', 'petstore'],
    ['DATABASE_PUBLIC_URL', 'postgres://db.example.com/petstore'],
    ['DATABASE_URL_UNPOOLED', 'postgres://db.example.com/petstore'],
    ['PROT', '1'],
    ['HOTS', '::'],
    ['EVENT', 'off'],
    ['PETSTORE_PORT_3000_TCP_PROTO', 'tcp'],
    ['RATE_LIMIT', '60'],
    ['PORTS', '80'],
    ['DATABASE_URL_2', 'postgres://db.example.com/other'],
    ['HOSTNAME', 'petstore-0'],
    ['POSTGRES_URL', 'postgres://db.example.com/petstore'],
    ['npm_config_loglevel', 'warn'],
    ['LOG_FORMAT', 'json'],
    ['DATABASE_URI', ''],
  ])('is ignored if it belongs to another program or is empty: %s=%j', (name, value) => {
    expect(loadEnv({ [name]: value })).toEqual(loadEnv({}));
  });
});
