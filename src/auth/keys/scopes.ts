/** Every scope of the service's own operations. Extensions can add others. */
export const SCOPES = [
  'pets:read',
  'pets:write',
  'categories:read',
  'categories:write',
  'orders:read',
  'orders:write',
  'usage:read',
  'events:read',
  'keys:manage',
  'webhooks:manage',
] as const;

/** Lets a key create others, so it must be requested. */
export const MANAGE_KEYS = 'keys:manage';

/** Lets a key send events elsewhere, so it must be requested too. */
export const MANAGE_WEBHOOKS = 'webhooks:manage';

/** What no key has by default. */
export const REQUESTED_SCOPES: readonly string[] = [MANAGE_KEYS, MANAGE_WEBHOOKS];

export const DEFAULT_SCOPES: readonly string[] = SCOPES.filter((scope) => !REQUESTED_SCOPES.includes(scope));

/** All scopes that keys of this application can have: those of the service and of extensions. */
export class KnownScopes {
  readonly names = new Set<string>(SCOPES);

  add(scopes: readonly string[]): void {
    for (const scope of scopes) this.names.add(scope);
  }
}

/** Scopes must also fit into a quoted string in WWW-Authenticate. */
export const SCOPE = /^[a-z0-9_-]+:[a-z0-9_-]+$/;

export function isScope(text: string): boolean {
  return SCOPE.test(text);
}
