/** Prefixes of the service's settings; an unknown variable with one of them is probably misspelt. */
const OWN_PREFIX = /^(ANONYMOUS|CORS|DATABASE|PETSTORE|RATE|REDIS|TRUST)_/;

/**
 * Variables that Kubernetes, and Docker's links, set for a service that is called `redis` or `petstore`:
 * REDIS_SERVICE_HOST, REDIS_SERVICE_PORT_MAIN, REDIS_PORT_6379_TCP_ADDR, and REDIS_PORT with an address as its value.
 */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_LINK_ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * Finds variables that look like settings but are none: those with a prefix of the service, and those that differ from a
 * setting in at most a fifth of its letters.
 * @returns one line for each
 */
export function unknownVariables(given: Readonly<Record<string, string>>, settings: readonly string[]): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (settings.includes(name) || SERVICE_LINK.test(name) || SERVICE_LINK_ADDRESS.test(value)) return [];
    const misspelt = nearest(name, settings, 1 / 5);
    if (misspelt === undefined && !OWN_PREFIX.test(name)) return [];
    const meant =
      misspelt ??
      settings.find((setting) => name.startsWith(setting) || setting.startsWith(name)) ??
      nearest(name, settings, 1 / 3);
    return meant === undefined ? `${name} is not a setting` : `${name} is not a setting; did you mean ${meant}?`;
  });
}

/** @param share of the setting's letters that may differ */
function nearest(name: string, settings: readonly string[], share: number): string | undefined {
  const near = settings
    // Most variables differ in length alone, which is cheap to check.
    .filter(({ length }) => Math.abs(name.length - length) <= length * share)
    .map((setting) => ({ setting, distance: editDistance(name.toUpperCase(), setting) }))
    .filter(({ setting, distance }) => distance <= setting.length * share);
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.setting;
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
