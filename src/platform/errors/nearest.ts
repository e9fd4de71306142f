import { distance } from 'fastest-levenshtein';

const MAX_EDITS = 2;

/** The known name that a client probably meant; case, hyphens and underscores do not count. Long texts cost nothing. */
export function nearest(sent: string, known: readonly string[]): string | undefined {
  const edits = known.map((name) =>
    Math.abs(sent.length - name.length) > 2 * MAX_EDITS ? Infinity : distance(plain(sent), plain(name)),
  );
  const least = Math.min(...edits);
  const meant = known[edits.indexOf(least)] ?? '';
  return least <= MAX_EDITS && 2 * least <= Math.min(sent.length, meant.length) ? meant : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}
