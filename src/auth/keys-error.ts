import { ApiError } from '../errors/index.js';

/** An operation on keys or accounts that can't be done as asked; `message` tells who asked why, and what would do. */
export class KeysError extends ApiError {
  constructor(message: string) {
    super('validation_failed', message);
  }
}
