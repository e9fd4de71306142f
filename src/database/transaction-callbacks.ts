import { Transaction } from './transaction.js';

/**
 * Registers a callback for the end of the current transaction, before its outcome is reported. It also runs after a
 * failure, because a commit with an unknown outcome may have happened.
 * @throws Error outside of a transaction
 */
export function onTransactionEnd(callback: () => void | Promise<void>): void {
  required('onTransactionEnd').onEnd(callback);
}

/**
 * Registers a callback for the commit of the current transaction, before its outcome is reported. An error of the callback
 * is logged.
 * @throws Error outside of a transaction
 */
export function onCommit(callback: () => void): void {
  required('onCommit').onCommit(callback);
}

function required(name: string): Transaction {
  if (Transaction.current === undefined) throw new Error(`${name} was called outside of Database.write.`);
  return Transaction.current;
}
