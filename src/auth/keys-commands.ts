import type { KeysOperation } from './keys-arguments.js';
import { issuedJson, issuedText, listJson, listText, time } from './keys-output.js';
import type { KeysService } from './keys.service.js';
import { SCOPES } from './scopes.js';

/** What a command did. */
export interface Outcome {
  /** For standard output. */
  readonly text: string;
  /** For standard error. */
  readonly warning?: string | undefined;
  /** Whether running services may still know an older state. */
  readonly changed: boolean;
}

/**
 * Does what a command says.
 * @throws (rejects) KeysError or ApiError with a message for the operator
 */
export async function runCommand(command: KeysOperation, keys: KeysService, actor: string): Promise<Outcome> {
  switch (command.name) {
    case 'create': {
      const issued = await keys.createKey(command.newKey, actor);
      const text = command.json ? issuedJson(issued) : issuedText(issued);
      return { text, warning: unknownScopes(issued.scopes), changed: false };
    }
    case 'list': {
      const listed = await keys.listKeys();
      return { text: command.json ? listJson(listed) : listText(listed), changed: false };
    }
    case 'revoke': {
      const revoked = await keys.revoke(command.id, actor);
      return { text: revoked ? `Revoked ${command.id}.` : `${command.id} is already revoked.`, changed: true };
    }
    case 'rotate': {
      const rotated = await keys.rotate(command.id, command.overlapMs, actor);
      const until = `Old key: ${rotated.replaces} works until ${time(rotated.replacedExpiresAt, '')}`;
      return { text: command.json ? issuedJson(rotated) : `${issuedText(rotated)}\n${until}`, changed: true };
    }
    case 'plan': {
      const { account, plan } = command;
      const { perMinute, perDay } = await keys.changePlan(account, plan, command.limits, actor);
      return { text: `${account} is on the plan ${plan}: ${perMinute} requests a minute, ${perDay} a day.`, changed: true };
    }
    case 'unban':
      await keys.unban(command.id, actor);
      return { text: `${command.id} is no longer banned.`, changed: true };
  }
}

/** Modules that extend the service may have scopes of their own, so an unknown one is no error. */
function unknownScopes(scopes: readonly string[]): string | undefined {
  const known: readonly string[] = SCOPES;
  const unknown = scopes.filter((scope) => !known.includes(scope));
  return unknown.length === 0 ? undefined : `Warning: not a scope of the service itself: ${unknown.join(', ')}`;
}
