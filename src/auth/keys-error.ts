/** An operation on keys or accounts that can't be done as asked; `message` tells the operator why, and what would do. */
export class KeysError extends Error {}
