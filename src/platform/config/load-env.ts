import { readFileSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { distance } from 'fastest-levenshtein';
import { Env } from './env.js';

/** Settings with passwords. `DATABASE_URL_FILE` names a file with the value of DATABASE_URL, as containers get secrets. */
const SECRETS = ['DATABASE_URL', 'REDIS_URL', 'WEBHOOK_KEY'] as const;
/** The files of secrets, by their names. */
const files = new WeakMap<Env, Readonly<Record<string, string | undefined>>>();
/** Settings of earlier versions, and what took their place. */
const REMOVED = { DATABASE_POOL_WAIT_MS: 'DATABASE_TIMEOUT_MS', DATABASE_STATEMENT_TIMEOUT_MS: 'DATABASE_TIMEOUT_MS' };
const fileOf = (name: string) => `${name}_FILE`;

/** Invalid settings; `message` has one line for each variable. */
export class ConfigError extends Error {}

/** @throws ConfigError that names every invalid variable, and every one that is almost a setting */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) if (value !== undefined && value !== '') given[name] = value;
  const unread = readSecrets(given);
  const env = envOf(given);
  // By default each environment has a prefix, as it has a file.
  if (env.ENVIRONMENT === 'staging') env.REDIS_PREFIX = given['REDIS_PREFIX'] ?? 'petstore-staging:';
  const lines = faultsOf(env).map(({ constraints = {} }) => [...new Set(Object.values(constraints))].join('; '));
  const { ANONYMOUS_PER_DAY: perDay, ANONYMOUS_PER_MINUTE: perMinute } = env;
  if (perDay < perMinute)
    lines.push(`ANONYMOUS_PER_DAY (${perDay}) must not be below ANONYMOUS_PER_MINUTE (${perMinute})`);
  const settings = [...Object.keys(env), ...SECRETS.map(fileOf)];
  const padded = settings.filter((name) => given[name] !== undefined && given[name] !== given[name].trim());
  lines.push(...padded.map((name) => `${name} must not begin or end with white space`));
  const removed = Object.entries(REMOVED).filter(([name]) => given[name] !== undefined);
  lines.push(...removed.map(([name, instead]) => `${name} is no longer a setting; use ${instead}`));
  lines.push(...unread, ...misspeltSettings(Object.keys(given), settings));
  if (lines.length > 0) throw new ConfigError(['Invalid configuration:', ...lines].join('\n  '));
  files.set(env, Object.fromEntries(SECRETS.map((name) => [name, given[fileOf(name)]])));
  return env;
}

/** A secret as it is now: passwords in files can change. While the file has no valid one, it is as it was at the start. */
export function currentSecret(env: Env, name: (typeof SECRETS)[number]): string | undefined {
  const file = files.get(env)?.[name];
  if (file === undefined) return env[name];
  const given: Record<string, string> = { [fileOf(name)]: file };
  return readSecrets(given).length === 0 && faultsOf(envOf(given), name).length === 0 ? given[name] : env[name];
}

function envOf(given: Readonly<Record<string, string>>): Env {
  return plainToInstance(Env, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
}

/** @param name of one setting; default: of all */
function faultsOf(env: Env, name?: string): ValidationError[] {
  const faults = validateSync(env, { validationError: { target: false } });
  return name === undefined ? faults : faults.filter(({ property }) => property === name);
}

/** The settings that differ from their defaults, for the log. Secrets are not shown. */
export function changedSettings(env: Env): Record<string, unknown> {
  const defaults: Record<string, unknown> = { ...new Env() };
  const changed = Object.entries(env).filter(([name, value]) => String(value) !== String(defaults[name]));
  return Object.fromEntries(changed.map(([name, value]) => [name, isSecret(name) ? '(set)' : value]));
}

const isSecret = (name: string) => SECRETS.some((secret) => secret === name);

/** @returns one line for each that cannot be read */
function readSecrets(given: Record<string, string>): string[] {
  return SECRETS.flatMap((name) => {
    const file = given[fileOf(name)];
    if (file === undefined) return [];
    if (given[name] !== undefined) return [`${name} and ${fileOf(name)} must not both be set`];
    try {
      given[name] = readFileSync(file, 'utf8').trim();
      return [];
    } catch (error) {
      return [`${fileOf(name)} cannot be read: ${String(error)}`];
    }
  });
}

/** Names that differ from a setting by more are ignored: platforms set many, such as `REDIS_TLS_URL` and `DATABASE_NAME`. */
function misspeltSettings(names: readonly string[], settings: readonly string[]): string[] {
  return names.flatMap((name) => {
    const meant = settings.includes(name) ? undefined : settings.find((setting) => isMisspelt(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

/** Shorter names, such as PORT, are one letter away from names that other programs use. */
const MIN_DISTINCTIVE_LENGTH = 8;
const letters = (text: string) => [...text].toSorted().join('');

/** Whether a name differs from that of a setting in case, in one letter, or in the order of two. */
function isMisspelt(name: string, setting: string): boolean {
  const given = name.toUpperCase();
  if (given === setting) return true;
  const edits = distance(given, setting);
  const isSwapped = edits === 2 && letters(given) === letters(setting);
  return setting.length >= MIN_DISTINCTIVE_LENGTH && (edits === 1 || isSwapped);
}
