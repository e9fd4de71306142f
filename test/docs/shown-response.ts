/** Values that differ between runs, with their replacements for a comparison. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/psk_(live|test)_[\w.…]+/g, 'psk_$1_KEY'],
  [/whsec_[\w+/.]+/g, 'WEBHOOK_SECRET'],
  [/key_\w+/g, 'KEY_ID'],
  // With the time of a row, and its identifier.
  [/after=[\w-]{16,}/g, 'after=CURSOR'],
  [/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID'],
  [/"[\w-]{22}"/g, '"ETAG"'],
  [/\b1\d{9}\b/g, 'UNIX_SECONDS'],
  // The service writes this field in the background, so a recently used key may not have it yet.
  [/,\s*"lastUsedAt":\s*"[^"]+"/g, ''],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/(x-ratelimit-remaining: |"remaining": ?|"requests": ?|"repeated": ?)\d+/g, '$1COUNT'],
];

/**
 * Compares what a page shows with the output of curl. For an HTTP response, the page shows the status, the relevant
 * headers and the body. In other output, `...` stands for any text.
 * @returns the difference, or undefined
 */
export function difference(language: string, shown: string, printed: string): string | undefined {
  const [wanted, got] = [stable(shown), stable(printed.replaceAll('\r', ''))];
  if (language === 'http') return httpDifference(wanted, got);
  if (language === 'json') return isSameJson(wanted, got) ? undefined : got;
  return matches(wanted, got) ? undefined : got;
}

function httpDifference(wanted: string, got: string): string | undefined {
  const [[wantedStatus, ...wantedHeaders], wantedBody] = parts(wanted);
  const [[gotStatus, ...gotHeaders], gotBody] = parts(got);
  const absent = wantedHeaders.filter((header) => !gotHeaders.includes(header));
  const isSame = wantedStatus === gotStatus && absent.length === 0 && isSameJson(wantedBody, gotBody);
  return isSame ? undefined : `${absent.join('\n')}\n---\n${got}`;
}

function parts(response: string): [head: string[], body: string] {
  const [head = '', body = ''] = response.split(/\n\n([^]*)/);
  return [head.split('\n'), body];
}

/** Formatted JSON equals the same JSON on one line. */
function isSameJson(wanted: string, got: string): boolean {
  return compact(wanted) === compact(got);
}

/** Removes white space outside of strings but keeps all digits of an int64. */
function compact(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

function matches(wanted: string, got: string): boolean {
  const pattern = wanted
    .trim()
    .split('...')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(got.trim());
}

function stable(text: string): string {
  return VOLATILE.reduce((result, [pattern, stand]) => result.replaceAll(pattern, stand), text);
}
