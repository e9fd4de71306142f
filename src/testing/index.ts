/** The test kit for extensions. It depends on no test runner. */
export type { AccountRequest, CustomLimits } from '../accounts/index.js';
export type { KeyOptions, NewKey } from '../api-keys/index.js';
export { FakeClock } from './fake-clock.js';
export { freePort } from './free-port.js';
export { isInstalled, type ServerProgram } from './installed.js';
export { type PostgresOptions, PostgresServer } from './postgres-server.js';
export { RedisServer } from './redis-server.js';
export { startTestApp, TestApp, type TestAppOptions, type TestRequest } from './test-app.js';
export {
  createTestDatabase,
  type DatabaseKind,
  INSTALLED_DATABASES,
  PostgresTestDatabase,
  SqliteTestDatabase,
  type TestDatabase,
} from './test-database.js';
