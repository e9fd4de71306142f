import type { Command } from 'commander';
import type { KeysService } from '../keys/keys.service.js';
import type { KeyDetails } from '../keys/key-responses.dto.js';
import { checkKnownScopes, keyName, overlap, scopes } from './keys-arguments.js';
import { keyText, rotatedText } from './keys-output.js';
import { ALLOW_UNKNOWN_SCOPE, type Choose, type Json, JSON_OPTION, shown } from './operation.js';

const DEFAULT_OVERLAP = '24h';

type Work = (keys: KeysService, id: string) => Promise<string>;

export function addKeyCommands(program: Command, choose: Choose): void {
  const command = (name: string, description: string) =>
    program.command(name).description(description).argument('<id>', 'of the key, such as key_0123456789abcdef');

  const change = (name: string, description: string, work: Work) =>
    command(name, description).action((id: string) =>
      choose(async (keys) => ({ text: await work(keys, id), changed: true })),
    );

  command('show', 'Show everything about a key, except the key itself.')
    .option(...JSON_OPTION)
    .action((id: string, { json }: Json) =>
      choose(async (keys, nowMs) => shown(json, await keys.showKey(id), (key) => keyText(key, nowMs))),
    );

  command('rename', 'Give a key another name.')
    .argument('<name>', 'distinguishes the key from others; "" for none', keyName)
    .action((id: string, name: string | null) =>
      choose(async (keys) => {
        await keys.change(id, { name });
        return { text: name === null ? `${id} has no name.` : `${id} is named ${name}.`, changed: true };
      }),
    );

  command('scopes', 'Replace the scopes of a key.')
    .argument('<scopes>', 'such as pets:read,pets:write', scopes)
    .option(...ALLOW_UNKNOWN_SCOPE)
    .option(...JSON_OPTION)
    .action((id: string, wanted: string[], { json, allowUnknownScope }: Json & { allowUnknownScope?: true }) => {
      checkKnownScopes(wanted, allowUnknownScope);
      const textOf = (key: KeyDetails) => `${id} has the scopes ${key.scopes.join(' ')}.`;
      choose(async (keys) => shown(json, await keys.change(id, { scopes: wanted }), textOf, true));
    });

  command('rotate', 'Create a successor. The old key keeps working for the overlap.')
    .option('--overlap <duration>', `0s for none (default: ${DEFAULT_OVERLAP})`, overlap)
    .option(...JSON_OPTION)
    .action((id: string, { json, overlap: overlapMs = overlap(DEFAULT_OVERLAP) }: Json & { overlap?: number }) =>
      choose(async (keys) => shown(json, await keys.rotate(id, overlapMs), rotatedText, true)),
    );

  change('pause', 'Refuse a key until it is resumed.', (keys, id) =>
    keys.change(id, { paused: true }).then(() => `${id} is paused.`),
  );
  change('resume', 'Accept a paused key again.', (keys, id) =>
    keys.change(id, { paused: false }).then(() => `${id} is not paused.`),
  );
  change('unban', 'Lift the ban of a key.', (keys, id) => keys.unban(id).then(() => `${id} is no longer banned.`));
  change('revoke', 'Revoke a key for good.', async (keys, id) =>
    (await keys.revoke(id)) ? `Revoked ${id}.` : `${id} is already revoked.`,
  );
}
