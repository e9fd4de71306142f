export { AuthModule } from './auth.module.js';
export { type BearerRequest, readBearerToken } from './authentication/bearer-token.js';
export { ACCESS, type Access, Public, RequireScope } from './access.decorators.js';
export { BearerGuard, UnverifiedKey } from './bearer.guard.js';
export { type Caller, isCaller } from './caller.js';
export { CurrentCaller } from './current-caller.decorator.js';
export {
  type AuthenticationFailure,
  EXPIRED,
  insufficientScope,
  INVALID,
  MISSING,
  REVOKED,
  scopeNeeded,
} from './authentication/refusals.js';
export { KeyVerifier, type Verdict } from './authentication/key-verifier.js';
export { CachedKey } from './authentication/cached-key.js';
