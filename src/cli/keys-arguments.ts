import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { NewKey } from '../api-keys/index.js';
import { type CustomLimits, PLAN_NAMES, type PlanName } from '../accounts/index.js';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^(0|[1-9][0-9]{0,9})([smhdw])$/;

/** A parsed command of the keys command line. */
export type KeysCommand = ReturnType<typeof parseKeysArguments>;

export type UsageCommand = Extract<KeysCommand, { name: 'usage' }>;

/** A command that needs the database. */
export type KeysOperation = Exclude<KeysCommand, { name: 'help' }>;

/** Invalid arguments; `message` names them. */
export class UsageError extends Error {}

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;
const LIMITS = { 'per-minute': TEXT, 'per-day': TEXT } as const;
const NOTHING = {} as const;

/**
 * Parses the arguments after `keys`.
 * @throws UsageError
 */
export function parseKeysArguments([name, ...args]: readonly string[]) {
  if (name === 'help' || name === '--help' || name === '-h' || args.includes('--help'))
    return { name: 'help' } as const;
  switch (name) {
    case 'create':
      return { name, ...parseCreate(args) };
    case 'list':
      return { name, json: parse(args, { json: FLAG }).values.json };
    case 'usage': {
      const { values, positionals } = parse(args, { json: FLAG }, 'ACCOUNT');
      return { name, account: given(positionals[0], 'ACCOUNT'), json: values.json };
    }
    case 'revoke':
    case 'unban': {
      const [id] = parse(args, NOTHING, 'ID').positionals;
      return { name, id: given(id, 'ID') };
    }
    case 'scopes': {
      const { values, positionals } = parse(args, { json: FLAG }, 'ID', 'SCOPES');
      const [id, scopes] = positionals;
      return { name, id: given(id, 'ID'), scopes: list(given(scopes, 'SCOPES')), json: values.json };
    }
    case 'rotate': {
      const { values, positionals } = parse(args, { overlap: TEXT, json: FLAG }, 'ID');
      const overlapMs = duration('overlap', values.overlap ?? '24h');
      return { name, id: given(positionals[0], 'ID'), overlapMs, json: values.json };
    }
    case 'plan': {
      const { values, positionals } = parse(args, LIMITS, 'ACCOUNT', 'PLAN');
      const [account, plan] = positionals;
      return { name, account: given(account, 'ACCOUNT'), plan: planName(given(plan, 'PLAN')), limits: limits(values) };
    }
    case undefined:
      throw new UsageError('Missing command.');
    default:
      throw new UsageError(`Unknown command "${name}".`);
  }
}

function parseCreate(args: string[]) {
  const options = { account: TEXT, plan: TEXT, ...LIMITS, name: TEXT, scopes: TEXT, 'expires-in': TEXT, json: FLAG };
  const { values } = parse(args, options);
  const expiresIn = values['expires-in'];
  const newKey: NewKey = {
    account: given(values.account, '--account'),
    plan: planName(given(values.plan, '--plan')),
    ...limits(values),
    name: values.name,
    scopes: values.scopes === undefined ? undefined : list(values.scopes),
    expiresInMs: expiresIn === undefined ? undefined : duration('expires-in', expiresIn),
  };
  return { newKey, json: values.json };
}

function parse<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T, ...names: string[]) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, tokens: true });
    const found = parsed.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const repeated = found.find((name, index) => found.indexOf(name) !== index);
    if (repeated !== undefined) throw new UsageError(`--${repeated} is given more than once.`);
    const surplus = parsed.positionals[names.length];
    if (surplus !== undefined) throw new UsageError(`Unexpected argument "${surplus}".`);
    return parsed;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    throw new UsageError(message.split('\n', 1)[0]);
  }
}

function given(value: string | undefined, what: string): string {
  if (value === undefined) throw new UsageError(`Missing ${what}.`);
  return value;
}

function list(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

function planName(text: string): PlanName {
  const plan = PLAN_NAMES.find((name) => name === text);
  if (plan === undefined) throw new UsageError(`Unknown plan "${text}". Plans: ${PLAN_NAMES.join(', ')}.`);
  return plan;
}

function limits(values: { 'per-minute'?: string | undefined; 'per-day'?: string | undefined }): CustomLimits {
  return { perMinute: integer('per-minute', values['per-minute']), perDay: integer('per-day', values['per-day']) };
}

function integer(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} must be an integer of at least 1.`);
}

/** In milliseconds. */
function duration(option: string, text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new UsageError(`--${option} must be a duration such as 30s, 15m, 24h, 90d or 12w.`);
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
