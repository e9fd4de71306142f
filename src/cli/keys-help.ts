import { PLAN_NAMES } from '../accounts/index.js';
import { MANAGE_KEYS, SCOPES } from '../api-keys/index.js';

/** The usage of the keys command line. */
export const KEYS_HELP = `Usage: npm run --silent keys -- <command>

  create --account NAME --plan ${PLAN_NAMES.join('|')}
         [--per-minute N --per-day N] [--name TEXT] [--scopes a,b] [--expires-in 90d] [--json]
                                   Create a key, and the account if it is new. The key is shown once.
  list [--json]                    List all keys by account. Last uses appear within some seconds.
  usage ACCOUNT [--json]           Show what is left of an account's minute and day, and what each key has used of them.
  scopes ID a,b [--json]           Replace the scopes of a key.
  revoke ID                        Revoke a key for good.
  rotate ID [--overlap 24h] [--json]
                                   Create a successor. The old key keeps working for the overlap (default 24h, 0s for none).
  plan ACCOUNT PLAN [--per-minute N --per-day N]
                                   Change the plan of an account, from its next request on.
  unban ID                         Lift the ban of a key.
  help                             Show this text.

  The plan enterprise requires --per-minute and --per-day; other plans accept neither.
  Scopes: ${SCOPES.join(', ')}.
  Without --scopes, a key gets every scope except ${MANAGE_KEYS}.
  usage reads Redis where REDIS_URL is set. Without Redis it reads the database, to which a running service writes its
  counts every second.
  Durations: 30s, 15m, 24h, 90d or 12w.
  Works on the database that DATABASE_URL names (default: the embedded one). The service can be running.
`;
