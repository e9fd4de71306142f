/** Every scope of the service's own operations. Modules that extend it may have others. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'categories:read',
  'categories:write',
  'orders:read',
  'orders:write',
  'usage:read',
  'keys:manage',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Lets a key make others, so it is given on purpose only. */
export const MANAGE_KEYS: Scope = 'keys:manage';

/** What a key gets unless it is narrowed or widened. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== MANAGE_KEYS);
