export { type Access, ACCESS, Public, RequireScope } from './access.decorators.js';
export { AuthModule } from './auth.module.js';
export { KeyVerifier } from './authentication/key-verifier.js';
export { EXPIRED, insufficientScope, INVALID, MISSING, REVOKED, scopeNeeded } from './authentication/refusals.js';
export { BearerGuard } from './bearer.guard.js';
export { type Authentication, type Caller, callerOf, CurrentCaller, isCaller, refusalOf } from './caller.js';
