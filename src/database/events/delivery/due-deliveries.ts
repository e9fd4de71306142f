/*
 * Rows are compared as a whole, because only one index gives their order then. A database that has no statistics yet, or whose
 * deliveries are nearly all over, would choose another one. Deliveries of a subject are due in the order of their events.
 */

/** Of whoever adds deliveries, or lets some wait. */
export const DELIVERIES_LOCK = 'event deliveries';
export const MOST_READ = 16;
/** Of a subscription, which is named three times and may have been removed, up to a time. */
export const IS_DUE = `EXISTS (SELECT 1 FROM "event_subscriptions" WHERE "name" = ?)
  AND ("subscription", "state", "due_at", "place") >= (?, 'pending', 0, 0)
  AND ("subscription", "state", "due_at") <= (?, 'pending', ?)`;
export const BY_DUE = '"subscription", "state", "due_at", "place"';
/** When the first pending delivery of the subscription `one` is due. */
export const FIRST_DUE = `SELECT "due_at" FROM "event_deliveries"
  WHERE ("subscription", "state", "due_at", "place") >= ("one"."name", 'pending', 0, 0)
    AND ("subscription", "state") <= ("one"."name", 'pending')
  ORDER BY ${BY_DUE} LIMIT 1`;
export const BY_SUBJECT = '"subscription", "state", "subject", "place"';
/**
 * When the last pending delivery of the same subject is due, which another one must not overtake. The subject is an expression,
 * because SQLite does not look in the index for a row with a column of another table, but for its first one.
 */
export const lastDue = (
  subscription: string,
  subject: string,
): string => `SELECT "due_at" FROM "event_deliveries" "last"
  WHERE ("subscription", "state", "subject", "place") >= (${subscription}, 'pending', ${subject} || '', 0)
    AND ("subscription", "state", "subject") <= (${subscription}, 'pending', ${subject} || '')
  ORDER BY "subscription" DESC, "state" DESC, "subject" DESC, "place" DESC LIMIT 1`;
