import type { Env } from '../config/index.js';
import { databaseUrlOf, executedMigrations } from '../database/index.js';
import type { Extension } from './extension.js';

/** The names under which TypeORM records the migrations of an extension. */
export function migrationNames({ migrations = [] }: Extension): string[] {
  return migrations.map((type) => new type().name ?? type.name);
}

/** TypeORM runs migrations in the order of the timestamps in their names, so they must be listed in that order. */
export function orderFaults(names: readonly string[]): string[] {
  const times = names.map((name) => Number(/\d{13}$/.exec(name)?.[0]));
  return names.flatMap((name, index) => {
    const [time = NaN, before = -Infinity] = [times[index], times[index - 1]];
    if (Number.isNaN(time))
      return `The name of the migration ${name} must end in a timestamp in milliseconds (13 digits).`;
    return time > before ? [] : `The migration ${name} would run before ${names[index - 1]}: give it a later time.`;
  });
}

/**
 * Migrations that would run after later ones of the same extension. Those of other extensions and of the service can be
 * later, because an extension can be added at any time.
 * @param isRefused whether the start fails anyway; then an unavailable database is not reported
 */
export async function lateFaults(extensions: readonly Extension[], env: Env, isRefused: boolean): Promise<string[]> {
  const lists = extensions.map(migrationNames).filter(({ length }) => length > 1);
  if (lists.length === 0) return [];
  const executed = await executedMigrations(databaseUrlOf(env)).catch((error: unknown) => {
    if (!isRefused) throw error;
    return new Set<string>();
  });
  return lists.flatMap((names) => {
    const last = names.findLastIndex((name) => executed.has(name));
    return names
      .slice(0, Math.max(last, 0))
      .filter((name) => !executed.has(name))
      .map((name) => `The migration ${name} has not run, but the later ${names[last]} has. Give it a later time.`);
  });
}
