import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Env } from './env.js';
import { misspeltSettings } from './misspelt-settings.js';

/** Invalid settings; `message` has one line for each variable. */
export class ConfigError extends Error {}

/** What has settings of its own. */
export interface Configurable {
  /** A class of settings, as `Env` is one. Its instance can be injected. */
  readonly settings?: Type<object>;
}

/**
 * Reads and validates all settings together, including those of extensions.
 * @throws ConfigError that names every invalid variable, and every one that is almost a setting
 */
export function loadEnv(
  source: Record<string, string | undefined> = process.env,
  extensions: readonly Configurable[] = [],
): Env {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) if (value !== undefined && value !== '') given[name] = value;
  const env = read(Env, given);
  const added = extensions.flatMap(({ settings }) => settings ?? []);
  const ofExtensions = new Map(added.map((type) => [type, read(type, given)]));
  const all = [env, ...ofExtensions.values()];
  const lines = all.flatMap(faultsOf);
  if (env.ANONYMOUS_PER_DAY < env.ANONYMOUS_PER_MINUTE) {
    lines.push(
      `ANONYMOUS_PER_DAY (${env.ANONYMOUS_PER_DAY}) must not be below ANONYMOUS_PER_MINUTE (${env.ANONYMOUS_PER_MINUTE})`,
    );
  }
  lines.push(...misspeltSettings(Object.keys(given), all.flatMap(Object.keys)));
  if (lines.length > 0) throw new ConfigError(['Invalid configuration:', ...lines].join('\n  '));
  return added.length === 0 ? env : Object.assign(env, { ofExtensions });
}

function read<T extends object>(type: Type<T>, given: Record<string, string>): T {
  return plainToInstance(type, given, { excludeExtraneousValues: true, exposeDefaultValues: true });
}

/** A line for each invalid setting. */
function faultsOf(settings: object): string[] {
  const faults = validateSync(settings, { validationError: { target: false } });
  return faults.map(({ constraints = {} }) => [...new Set(Object.values(constraints))].join('; '));
}
