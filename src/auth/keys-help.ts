import { PLAN_NAMES } from './plan.js';
import { MANAGE_KEYS, SCOPES } from './scopes.js';

/** How the keys command line is used. */
export const KEYS_HELP = `Usage: npm run --silent keys -- <command>

  create --account NAME --plan ${PLAN_NAMES.join('|')}
         [--per-minute N --per-day N] [--scopes a,b] [--expires-in 90d] [--test] [--json]
                                   Make a key, and the account when it is new. The key is shown this once.
  list [--json]                    List all keys. Last uses appear within some seconds.
  revoke ID                        End a key for good.
  rotate ID [--overlap 24h] [--json]
                                   Make a successor; the old key works on for the overlap (24h unless given, 0s for none).
  plan ACCOUNT PLAN [--per-minute N --per-day N]
                                   Put an account on a plan, from its next request on.
  unban ID                         Lift a key's ban.
  help                             Show this.

  --per-minute and --per-day belong to the plan enterprise, which needs both.
  Scopes are ${SCOPES.join(', ')}.
  A key gets all of these but ${MANAGE_KEYS} unless --scopes says otherwise.
  Durations look like 30s, 15m, 24h, 90d or 12w.
  The database is the one that DATABASE_URL names, or the embedded one; the service may be running.
`;
