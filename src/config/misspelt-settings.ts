/** Share of the letters of a setting that a variable may differ in to count as misspelt. */
const MISSPELT_SHARE = 1 / 5;

/**
 * Finds variables whose names are almost those of settings. All others are ignored: platforms set many, such as
 * `REDIS_TLS_URL` and `DATABASE_NAME`.
 * @returns one line for each
 */
export function misspeltSettings(names: readonly string[], settings: readonly string[]): string[] {
  return names.flatMap((name) => {
    const meant = settings.includes(name) ? undefined : nearest(name, settings);
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

function nearest(name: string, settings: readonly string[]): string | undefined {
  const near = settings
    // Most variables differ in length alone, which is cheap to check.
    .filter(({ length }) => Math.abs(name.length - length) <= length * MISSPELT_SHARE)
    .map((setting) => ({ setting, distance: editDistance(name.toUpperCase(), setting) }))
    .filter(({ setting, distance }) => distance <= setting.length * MISSPELT_SHARE);
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.setting;
}

/** How many letters must be added, removed, replaced or swapped with the next one (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 0; i < from.length; i += 1) {
    const row = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (last[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwapped ? (beforeLast[j - 1] ?? 0) + 1 : Infinity;
      row.push(Math.min((row[j] ?? 0) + 1, (last[j + 1] ?? 0) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
