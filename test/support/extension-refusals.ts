import { Module } from '@nestjs/common';
import { createApp, type Extension, loadEnv } from '../../src/index.js';
import { Folders } from './folders.js';
import { operationsOf } from './operations.js';

/** The first line of the message. */
export const HEAD = 'The extensions are not valid:';

/** What the start of the service says of an extension, line by line. */
export async function refusalOf(
  extension: Extension,
  options: Partial<Parameters<typeof createApp>[0]> = {},
  folder?: string,
): Promise<string[]> {
  const folders = new Folders();
  const env = loadEnv({ DATABASE_URL: `sqlite:${folder ?? folders.make()}/pets.sqlite`, LOG_LEVEL: 'silent' });
  const started = createApp({ env, extensions: [extension], ...options });
  const message: unknown = await started.then(
    () => undefined,
    // Not always an Error of this realm: see `driverCode` in src/database/unavailable.ts.
    ({ message: words }: Error) => words,
  );
  await folders.remove();
  if (typeof message !== 'string') throw new Error('The service has started.');
  return message.split('\n  ');
}

/** What the start of the service says of an extension with this controller. */
export function refusalOfController(controller: new () => object): Promise<string[]> {
  @Module({ controllers: [controller] })
  class ReviewsModule {}
  return refusalOf({ module: ReviewsModule });
}

/** The options of an operation of the extension. */
export const reviewsOperation = operationsOf('reviews:read', 'A review');
