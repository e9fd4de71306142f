import { Injectable } from '@nestjs/common';

/** The key that an operation changed; `null` means all keys of the account. */
export interface KeyChange {
  readonly accountId: number;
  readonly keyId: string | null;
}

/** Notified of changes in this process; other processes read the audit records. */
export interface KeyChangeListener {
  keysChanged(changes: readonly KeyChange[]): void;
  /** @param key in full; its transaction may still be open */
  keyIssued(key: string): void;
}

/** Notifies caches that keys were changed or issued. */
@Injectable()
export class KeyChangeNotifier implements KeyChangeListener {
  private readonly listeners: KeyChangeListener[] = [];

  subscribe(listener: KeyChangeListener): void {
    this.listeners.push(listener);
  }

  keysChanged(changes: readonly KeyChange[]): void {
    for (const listener of this.listeners) listener.keysChanged(changes);
  }

  keyIssued(key: string): void {
    for (const listener of this.listeners) listener.keyIssued(key);
  }
}
