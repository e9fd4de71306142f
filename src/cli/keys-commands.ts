import {
  type AdminKeysService,
  issuedKeyJson,
  keyJson,
  type KeyListing,
  rotatedKeyJson,
  SCOPES,
} from '../api-keys/index.js';
import type { KeysOperation, UsageCommand } from './keys-arguments.js';
import { issuedText, listJson, listText, time } from './keys-output.js';

/** The result of a command. */
export interface Outcome {
  /** For standard output; long output is streamed while the database is open. */
  readonly text: string | AsyncIterable<string>;
  /** For standard error. */
  readonly warning?: string | undefined;
  /** Whether running services may still have an older state. */
  readonly changed: boolean;
}

/** A command on keys and plans. */
export type AdminCommand = Exclude<KeysOperation, UsageCommand>;

/**
 * Runs a command.
 * @throws (rejects) InvalidOperationError or ApiError with a message for the operator
 */
export async function runCommand(command: AdminCommand, keys: AdminKeysService, actor: string): Promise<Outcome> {
  switch (command.name) {
    case 'create': {
      const issued = await keys.createKey(command.newKey, actor);
      const text = command.json ? JSON.stringify(issuedKeyJson(issued)) : issuedText(issued);
      return { text, warning: unknownScopes(issued.scopes), changed: false };
    }
    case 'list': {
      const pages = () => keyPages(keys);
      return { text: command.json ? listJson(pages) : listText(pages), changed: false };
    }
    case 'revoke': {
      const revoked = await keys.revoke(command.id, actor);
      return { text: revoked ? `Revoked ${command.id}.` : `${command.id} is already revoked.`, changed: true };
    }
    case 'scopes': {
      const key = await keys.changeScopes(command.id, command.scopes, actor);
      const text = command.json ? JSON.stringify(keyJson(key)) : `${key.id} has the scopes ${key.scopes.join(' ')}.`;
      return { text, warning: unknownScopes(key.scopes), changed: true };
    }
    case 'rotate': {
      const rotated = await keys.rotate(command.id, command.overlapMs, actor);
      const until = `Old key: ${rotated.replaces} works until ${time(rotated.replacedExpiresAt, '')}`;
      return {
        text: command.json ? JSON.stringify(rotatedKeyJson(rotated)) : `${issuedText(rotated)}\n${until}`,
        changed: true,
      };
    }
    case 'plan': {
      const { account, plan } = command;
      const { perMinute, perDay } = await keys.changePlan(account, plan, command.limits, actor);
      return {
        text: `${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`,
        changed: true,
      };
    }
    case 'unban':
      await keys.unban(command.id, actor);
      return { text: `${command.id} is no longer banned.`, changed: true };
  }
}

async function* keyPages(keys: AdminKeysService): AsyncGenerator<KeyListing[]> {
  for (let page = await keys.listKeys(); page.length > 0; page = await keys.listKeys(page.at(-1))) yield page;
}

/** Extensions can have scopes of their own, so an unknown one is no error. */
function unknownScopes(scopes: readonly string[]): string | undefined {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.filter((scope) => !known.includes(scope));
  return unknown.length === 0 ? undefined : `Warning: not a scope of the service itself: ${unknown.join(', ')}`;
}
