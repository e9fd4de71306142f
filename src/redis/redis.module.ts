import { Module } from '@nestjs/common';
import { Env } from '../config/index.js';
import { RedisLink } from './redis-link.js';
import { SharedVersion } from './shared-version.js';

/** The way to Redis. Both providers are undefined where none is configured. */
@Module({
  providers: [
    {
      provide: RedisLink,
      inject: [Env],
      useFactory: ({ REDIS_URL, REDIS_PREFIX }: Env) =>
        REDIS_URL === undefined ? undefined : new RedisLink({ url: REDIS_URL, prefix: REDIS_PREFIX }),
    },
    { provide: SharedVersion, inject: [RedisLink], useFactory: (link: RedisLink | undefined) => link?.version },
  ],
  exports: [RedisLink, SharedVersion],
})
export class RedisModule {}
