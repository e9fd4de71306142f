export { AuthModule } from './auth.module.js';
export { ACCESS, type Access, Public, RequireScope, routeConfigOf } from './access.decorators.js';
export { BearerGuard, readBearerToken, UnverifiedKey } from './bearer.guard.js';
export { type Caller, callerOf, CurrentCaller, isCaller, type Verdict, verdictOn } from './caller.js';
export {
  type AuthenticationFailure,
  EXPIRED,
  insufficientScope,
  INVALID,
  MISSING,
  REVOKED,
  scopeNeeded,
} from './authentication/refusals.js';
export { KeyVerifier } from './authentication/key-verifier.js';
