/** What becomes of an order, and what it may become from there. */
const TRANSITIONS = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderStatus = keyof typeof TRANSITIONS;

export const ORDER_STATUSES = Object.keys(TRANSITIONS) as OrderStatus[];

/** OrderStatus as fields and parameters declare it. */
export const ORDER_STATUS = { name: 'OrderStatus', values: ORDER_STATUSES, meaning: 'What has become of an order.' } as const;

/** The statuses that an order may go to. */
export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return TRANSITIONS[status];
}
