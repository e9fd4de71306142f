import { type ParseArgsConfig, parseArgs } from 'node:util';
import { parseDurationMs } from './duration.js';
import type { NewKey } from './keys.service.js';
import { type CustomLimits, PLAN_NAMES, type PlanName } from './plan.js';

/** A command of the keys command line, with its arguments checked for their form. */
export type KeysCommand =
  | { readonly name: 'help' }
  | { readonly name: 'create'; readonly newKey: NewKey; readonly json: boolean }
  | { readonly name: 'list'; readonly json: boolean }
  | { readonly name: 'revoke' | 'unban'; readonly id: string }
  | { readonly name: 'rotate'; readonly id: string; readonly overlapMs: number; readonly json: boolean }
  | { readonly name: 'plan'; readonly account: string; readonly plan: PlanName; readonly limits: CustomLimits };

/** A command that needs the database. */
export type KeysOperation = Exclude<KeysCommand, { readonly name: 'help' }>;

/** The command line makes no sense; `message` says what does not. */
export class UsageError extends Error {}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const LIMITS = { 'per-minute': TEXT, 'per-day': TEXT } as const;
const NOTHING = {} as const;

/**
 * Reads the arguments that follow `keys`.
 * @throws UsageError
 */
export function parseKeysArguments([name, ...args]: readonly string[]): KeysCommand {
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help')) return { name: 'help' };
  switch (name) {
    case 'create':
      return parseCreate(args);
    case 'list':
      return { name, json: parse(args, { json: FLAG }).values.json === true };
    case 'revoke':
    case 'unban': {
      const [id] = parse(args, NOTHING, 'ID').positionals;
      return { name, id: given(id, 'ID') };
    }
    case 'rotate': {
      const { values, positionals } = parse(args, { overlap: TEXT, json: FLAG }, 'ID');
      const overlapMs = duration('overlap', values.overlap ?? '24h');
      return { name, id: given(positionals[0], 'ID'), overlapMs, json: values.json === true };
    }
    case 'plan': {
      const { values, positionals } = parse(args, LIMITS, 'ACCOUNT', 'PLAN');
      const [account, plan] = positionals;
      return { name, account: given(account, 'ACCOUNT'), plan: planName(given(plan, 'PLAN')), limits: limits(values) };
    }
    case undefined:
      throw new UsageError('Say what to do.');
    default:
      throw new UsageError(`There is no command "${name}".`);
  }
}

function parseCreate(args: string[]): KeysCommand {
  const options = { account: TEXT, plan: TEXT, ...LIMITS, scopes: TEXT, 'expires-in': TEXT, test: FLAG, json: FLAG };
  const { values } = parse(args, options);
  const expiresIn = values['expires-in'];
  const newKey = {
    account: given(values.account, '--account'),
    plan: planName(given(values.plan, '--plan')),
    ...limits(values),
    scopes: values.scopes?.split(',').map((scope) => scope.trim()),
    expiresInMs: expiresIn === undefined ? undefined : duration('expires-in', expiresIn),
    test: values.test === true,
  };
  return { name: 'create', newKey, json: values.json === true };
}

function parse<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T, ...names: string[]) {
  const parsed = parseStrictly({ args, options, allowPositionals: true, strict: true });
  const surplus = parsed.positionals[names.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one argument too many.`);
  return parsed;
}

function parseStrictly<T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw new UsageError(error.message.split('\n', 1)[0]);
  }
}

function isParseError(error: unknown): error is NodeJS.ErrnoException {
  return typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

function given(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`${what} is missing.`);
  return value;
}

function planName(text: string): PlanName {
  const plan = PLAN_NAMES.find((name) => name === text);
  if (plan === undefined) throw new UsageError(`There is no plan "${text}"; plans are ${PLAN_NAMES.join(', ')}.`);
  return plan;
}

function limits(values: { 'per-minute'?: string | undefined; 'per-day'?: string | undefined }): CustomLimits {
  return { perMinute: integer('per-minute', values['per-minute']), perDay: integer('per-day', values['per-day']) };
}

function integer(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9][0-9]{0,14}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new UsageError(`--${option} must be an integer of at least 1.`);
}

function duration(option: string, text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) throw new UsageError(`--${option} must be a duration such as 30s, 15m, 24h, 90d or 12w.`);
  return durationMs;
}
