import { expect, it } from '@jest/globals';
import { keysProgram } from './keys-program.js';

const CREATE = 'create --account acme --plan pro';

function parse(line: string): void {
  keysProgram(
    () => undefined,
    () => undefined,
  ).parse(line.split(' '), { from: 'user' });
}

it.each([
  ['bogus', "unknown command 'bogus'"],
  ['create --plan pro', "'--account <name>' not specified"],
  ['create --account acme --plan gold', "'gold' is invalid. Allowed choices are free, pro, business, enterprise."],
  ['create --account acme --plan toString', "'toString' is invalid. Allowed choices are "],
  ['create --account \u0007 --plan pro', 'An account name is'],
  ['create --account acme --plan enterprise --per-minute 5', 'requires both a limit per minute and a limit per day'],
  ['create --account acme --plan enterprise --per-minute 9 --per-day 8', 'must not be below the limit per minute'],
  [`${CREATE} --per-minute 5`, 'has fixed limits'],
  [`${CREATE} extra`, 'too many arguments'],
  [`${CREATE} --colour red`, "unknown option '--colour'"],
  ['create --account', "'--account <name>' argument missing"],
  [`${CREATE} --per-minute 1e3`, 'must be an integer'],
  [`${CREATE} --per-day=-5`, 'must be an integer'],
  [`${CREATE} --per-day 0`, 'must be an integer'],
  [`${CREATE} --name \u202e`, 'The name of a key has'],
  [`${CREATE} --scopes pets`, 'scopes look like "pets:read"'],
  [
    `${CREATE} --scopes pets:read,pet:write`,
    'Unknown scope pet:write. Did you mean pets:write? The scopes are pets:read,',
  ],
  [`${CREATE} --scopes reports:run`, 'Unknown scope reports:run. The scopes are pets:read, '],
  [`${CREATE} --scopes pets --allow-unknown-scope`, 'scopes look like "pets:read"'],
  ['create --account acme --per-minute 5', 'requires both a limit per minute and a limit per day'],
  [`${CREATE} --expires-in 90`, 'must be a duration'],
  [`${CREATE} --expires-in 1y`, 'must be a duration'],
  [`${CREATE} --expires-in 0s`, 'The lifetime must be above zero'],
  ['revoke', "missing required argument 'id'"],
  ['revoke key_1 key_2', 'too many arguments'],
  ['revoke key_1 --overlap 1h', "unknown option '--overlap'"],
  ['scopes', "missing required argument 'id'"],
  ['scopes key_1', "missing required argument 'scopes'"],
  ['scopes key_1 pets', 'scopes look like "pets:read"'],
  ['scopes key_1 pets:read pets:write', 'too many arguments'],
  ['scopes key_1 pets:raed', 'Did you mean pets:read?'],
  ['show', "missing required argument 'id'"],
  ['rename key_1', "missing required argument 'name'"],
  ['rename key_1 \u202e', 'The name of a key has'],
  ['pause', "missing required argument 'id'"],
  ['resume key_1 key_2', 'too many arguments'],
  ['accounts acme', 'too many arguments'],
  ['rotate key_1 --overlap 1.5h', 'must be a duration'],
  ['rotate key_1 --overlap 9999w', 'at most 100 years'],
  ['plan acme', "missing required argument 'plan'"],
  ['plan acme gold', "'gold' is invalid"],
  ['plan acme enterprise', 'requires both a limit per minute and a limit per day'],
  ['list key_1', 'too many arguments'],
  ['limits acme --until 2026-02-30', 'a UTC date'],
  ['limits acme --until 2026-02-28T24:30Z', 'a UTC date'],
  ['usage --days 0', 'from 1 to 30'],
  ['usage --days 1.5', 'from 1 to 30'],
  ['usage --days all', 'from 1 to 30'],
])('the arguments of the keys command line are refused in one line: %s', (line, message) => {
  expect(() => parse(line)).toThrow(message);
  expect(() => parse(line)).not.toThrow('\n');
});
