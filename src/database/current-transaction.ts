import { AsyncLocalStorage } from 'node:async_hooks';
import { runAll, type Transaction } from './transaction.js';

const contexts = new AsyncLocalStorage<Transaction>();

/** Makes a transaction the current one of `work`. */
export function runIn<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  return contexts.run(transaction, work);
}

/** Runs work that several callers share outside of their transactions. */
export function outsideTransactions<T>(work: () => T): T {
  return contexts.exit(work);
}

/** The innermost transaction that the work of the caller began in, without those that were committed. */
export function innermostTransaction(): Transaction | undefined {
  let transaction = contexts.getStore();
  while (transaction?.state === 'committed') transaction = transaction.outer;
  return transaction;
}

/**
 * The transaction that the caller is part of: open, or ending with an unknown outcome; after a commit, the outer one.
 * @throws Error if it was rolled back: nothing more of the same work may be committed
 */
export function transactionOfCaller(): Transaction | undefined {
  const transaction = innermostTransaction();
  if (transaction === undefined || transaction.state === 'open') return transaction;
  // A nested one that is ending accepts nothing, because its work could neither join nor wait for the outer one.
  if (transaction.state === 'ending' && transaction.outer === undefined) return transaction;
  throw transaction.refusal;
}

/** Waits for the outcome of a transaction of the caller that is ending. Call it before a write outside of it. */
export async function transactionSettled(): Promise<void> {
  for (let ending = transactionOfCaller(); ending?.state === 'ending'; ending = transactionOfCaller())
    await ending.ended.promise;
}

/**
 * Registers a callback for the end of the current transaction, before its outcome is reported. It also runs after a
 * failure, because a commit with an unknown outcome may have happened. Registered twice, it runs once. Outside of a
 * transaction it runs at once.
 * @throws Error after a rollback
 */
export function onTransactionEnd(callback: () => void | Promise<void>): void {
  const transaction = transactionOfCaller();
  if (transaction === undefined) void runAll([callback]);
  else transaction.onEnd(callback);
}

/**
 * Registers a callback for the commit of the current transaction, before its outcome is reported. An error of the callback
 * is logged. Outside of a transaction it runs at once.
 * @throws Error after a rollback
 */
export function onCommit(callback: () => void): void {
  const transaction = transactionOfCaller();
  if (transaction === undefined) void runAll([callback]);
  else transaction.onCommit(callback);
}
