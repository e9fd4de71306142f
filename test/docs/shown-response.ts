/** Values that differ from run to run, with what stands for them in a comparison. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/psk_(live|test)_[\w.…]+/g, 'psk_$1_KEY'],
  [/key_\w+/g, 'KEY_ID'],
  [/"[\w-]{22}"/g, '"ETAG"'],
  [/\b1\d{9}\b/g, 'UNIX_SECONDS'],
  // Written in the background: whether a key that was just used has it depends on the moment.
  [/,\s*"lastUsedAt":\s*"[^"]+"/g, ''],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/(x-ratelimit-remaining: |"remaining": ?)\d+/g, '$1COUNT'],
];

/**
 * Compares what a page shows with what curl printed. Of an HTTP response the page shows the status, the headers that
 * matter and the body; of other output, `...` stands for anything.
 * @returns what differs, or undefined
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

/** JSON that is laid out for reading equals JSON on one line. */
function isSameJson(wanted: string, got: string): boolean {
  return compact(wanted) === compact(got);
}

/** Without white space outside of strings, so that int64 is compared digit by digit. */
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
