export { PinoLogger } from './pino-logger.js';
export { logRequests, requestFields, UNMATCHED_ROUTE } from './request-log.js';
export { RefusalLog } from './refusal-log.js';
export { StandardOutput } from './standard-output.js';
