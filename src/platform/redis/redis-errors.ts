import { ConfigError } from '../config/load-env.js';

/** A Redis that is not one for the counters of this service. */
export class UnusableRedisError extends ConfigError {}

/** Replies to every command, or to every write: of a server that starts, follows another one, is full or busy, or alone. */
const OUTAGE = /^(BUSY|CLUSTERDOWN|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOREPLICAS|OOM|READONLY|WRONGPASS)\b/;

/** Whether other commands would fail too. What is no reply is about the connection. */
export function isOutage({ name, message }: Error): boolean {
  return name !== 'ReplyError' || OUTAGE.test(message);
}
