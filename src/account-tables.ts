import type { AccountTable } from './accounts/accounts.service.js';
import { rowsLock } from './database/chunks.js';
import { DELIVERIES_LOCK } from './database/events/delivery/due-deliveries.js';

const OF_ACCOUNT = (id: number) => `"account_id" = ${id}`;
const idsIn = (table: string, kind = '') => `IN (SELECT '${kind}' || "id" FROM "${table}" WHERE "account_id" = `;
const ofWebhook = (column: string) => (id: number) => `"${column}" ${idsIn('webhooks', 'webhook:')}${id})`;

/** Everything that the service stores of an account. Rows come before those that they are found by. */
export const ACCOUNT_TABLES: readonly AccountTable[] = [
  { table: 'audit_records', of: OF_ACCOUNT, deleted: 'never' },
  { table: 'orders', of: OF_ACCOUNT, deleted: 'in batches', isOpen: `"status" IN ('placed', 'approved')` },
  { table: 'event_log', of: OF_ACCOUNT, deleted: 'in batches' },
  { table: 'usage_history', of: OF_ACCOUNT, deleted: 'in batches', lock: rowsLock('usage_history') },
  { table: 'key_networks', of: OF_ACCOUNT, deleted: 'in batches', lock: rowsLock('key_networks') },
  { table: 'idempotency_records', of: OF_ACCOUNT, deleted: 'in batches', hidden: ['fingerprint'] },
  { table: 'event_deliveries', of: ofWebhook('subscription'), deleted: 'in batches', lock: DELIVERIES_LOCK },
  { table: 'event_subscriptions', of: ofWebhook('name') },
  { table: 'webhooks', of: OF_ACCOUNT, hidden: ['secret', 'previous_secret'] },
  {
    table: 'usage_windows',
    of: (id) => `"subject" = 'account:${id}' OR "subject" ${idsIn('api_keys', 'key:')}${id})`,
    lock: rowsLock('counters'),
  },
  { table: 'key_bans', of: (id) => `"key_id" ${idsIn('api_keys')}${id})` },
  { table: 'api_keys', of: OF_ACCOUNT, hidden: ['sha256'] },
  { table: 'accounts', of: (id) => `"id" = ${id}` },
];
