/** Every scope that a key can carry; a key gets all of them unless it is narrowed. */
export const SCOPES = ['pets:read', 'pets:write'] as const;

export type Scope = (typeof SCOPES)[number];
