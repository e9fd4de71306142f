import { ApiKey } from './api-key.entity.js';

export { ApiKey };

export type { KeyEvents } from './key.events.js';
export { ApiKeysModule } from './api-keys.module.js';
export { type KeyChange, type KeyChangeListener, KeyChangeNotifier } from './key-change-notifier.js';
export { AdminKeysService, type NewKey } from './admin-keys.service.js';
export { generateApiKey, hashApiKey, isApiKey, isOfKind, KEY_ID, type KeyKind, keyKindOf } from './api-key-format.js';
export { ApiKeysRepository } from './api-keys.repository.js';
export { issuedKeyJson, keyJson, rotatedKeyJson } from './key-json.js';
export { type IssuedKey, type KeyListing, type RotatedKey, toListing } from './key-listing.js';
export { keyNotFound, KeyOperations } from './key-operations.js';
export { type KeyOptions, keySpec, MAX_DURATION_MS, MAX_NAME_LENGTH } from './key-spec.js';
export { DEFAULT_SCOPES, isScope, KnownScopes, MANAGE_KEYS, SCOPES } from './scopes.js';

export const API_KEY_ENTITIES = [ApiKey];
