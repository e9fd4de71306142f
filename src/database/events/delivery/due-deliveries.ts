/*
 * Rows are compared as a whole, because only one index gives their order then. A database that has no statistics yet, or whose
 * deliveries are nearly all over, would choose another one. Deliveries of a subject are due in the order of their events.
 */

export const MOST_READ = 16;
/** Of a subscription, up to a time. */
export const IS_DUE = `("subscription", "state", "due_at", "place") >= (?, 'pending', 0, 0)
  AND ("subscription", "state", "due_at") <= (?, 'pending', ?)`;
export const BY_DUE = '"subscription", "state", "due_at", "place"';
/** When the first pending delivery of the subscription `one` is due. */
export const FIRST_DUE = `SELECT "due_at" FROM "event_deliveries"
  WHERE ("subscription", "state", "due_at", "place") >= ("one"."name", 'pending', 0, 0)
    AND ("subscription", "state") <= ("one"."name", 'pending')
  ORDER BY ${BY_DUE} LIMIT 1`;
/** When the last pending delivery of the same subject is due, which another one must not overtake. */
export const lastDue = (
  subscription: string,
  subject: string,
): string => `SELECT "due_at" FROM "event_deliveries" "last"
  WHERE ("subscription", "state", "subject", "place") >= (${subscription}, 'pending', ${subject}, 0)
    AND ("subscription", "state", "subject") <= (${subscription}, 'pending', ${subject})
  ORDER BY "subscription" DESC, "state" DESC, "subject" DESC, "place" DESC LIMIT 1`;
