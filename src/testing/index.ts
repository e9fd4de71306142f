/** The test kit for extensions. It depends on no test runner. */
export type { CustomLimits } from '../auth/keys/plan.js';
export type { IssuedKey } from '../accounts/keys/key-responses.dto.js';
export type { KeyOptions, NewKey } from '../accounts/keys/key-options.js';
export { FakeClock } from './fake-clock.js';
export { type FakeRequest, fakeReply } from './fake-reply.js';
export type { RecordedEvents } from './recorded-events.js';
export { startTestApp, TestApp } from './test-app.js';
export type { JsonRequest, JsonResponse, TestAppOptions, TestRequest } from './test-app.js';
export { PostgresTestDatabase } from './postgres-test-database.js';
export { SqliteTestDatabase, type TestDatabase } from './test-database.js';
