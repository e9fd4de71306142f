export { PinoLogger } from './pino-logger.js';
export { logRequests } from './request-log.js';
