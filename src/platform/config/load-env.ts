import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Env } from './env.js';

/** Shorter names of settings, such as PORT, are one letter away from names that other programs use. */
const MIN_LENGTH = 8;

/** Invalid settings; `message` has one line for each variable. */
export class ConfigError extends Error {}

/**
 * Reads and validates all settings.
 * @throws ConfigError that names every invalid variable, and every one that is almost a setting
 */
export function loadEnv(source: Record<string, string | undefined> = process.env): Env {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) if (value !== undefined && value !== '') given[name] = value;
  const env = plainToInstance(Env, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
  const faults = validateSync(env, { validationError: { target: false } });
  const lines = faults.map(({ constraints = {} }) => [...new Set(Object.values(constraints))].join('; '));
  if (env.ANONYMOUS_PER_DAY < env.ANONYMOUS_PER_MINUTE) {
    lines.push(
      `ANONYMOUS_PER_DAY (${env.ANONYMOUS_PER_DAY}) must not be below ANONYMOUS_PER_MINUTE (${env.ANONYMOUS_PER_MINUTE})`,
    );
  }
  lines.push(...misspeltSettings(Object.keys(given), Object.keys(env)));
  if (lines.length > 0) throw new ConfigError(['Invalid configuration:', ...lines].join('\n  '));
  return env;
}

/**
 * Finds variables whose names are those of settings but for one typing error. All others are ignored: platforms set many,
 * such as `REDIS_TLS_URL` and `DATABASE_NAME`.
 * @returns one line for each
 */
function misspeltSettings(names: readonly string[], settings: readonly string[]): string[] {
  return names.flatMap((name) => {
    const meant = settings.includes(name) ? undefined : settings.find((setting) => isMisspelt(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

/** Whether the name differs in case, in one letter, or in the order of two. */
function isMisspelt(name: string, setting: string): boolean {
  const given = name.toUpperCase();
  if (given === setting) return true;
  if (setting.length < MIN_LENGTH) return false;
  const shorter = Math.min(given.length, setting.length);
  let start = 0;
  while (start < shorter && given[start] === setting[start]) start += 1;
  let end = 0;
  while (end < shorter - start && given.at(-1 - end) === setting.at(-1 - end)) end += 1;
  const wrong = given.slice(start, given.length - end);
  const right = setting.slice(start, setting.length - end);
  return Math.max(wrong.length, right.length) < 2 || (right.length === 2 && wrong === `${right[1]}${right[0]}`);
}
