/** The test kit for extensions. It depends on no test runner. */
export type { CustomLimits, KeyOptions, NewKey } from '../accounts/index.js';
export { FakeClock } from './fake-clock.js';
export { startTestApp, TestApp, type TestAppOptions, type TestRequest } from './test-app.js';
export { SqliteTestDatabase, type TestDatabase } from './test-database.js';
