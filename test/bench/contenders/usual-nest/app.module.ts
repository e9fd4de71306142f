import { type MiddlewareConsumer, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountThrottlerGuard, limitOf } from './account-throttler.guard.js';
import { AccountMiddleware } from './account.middleware.js';
import { AuthGuard } from './auth.guard.js';
import { databaseOf } from './database.js';
import { Account, ApiKey, Pet } from './entities.js';
import { HeadersMiddleware } from './headers.middleware.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

const ENTITIES = [Pet, Account, ApiKey];

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...databaseOf(process.env['DATABASE_URL'] ?? ''), entities: ENTITIES }),
    TypeOrmModule.forFeature(ENTITIES),
    ThrottlerModule.forRoot([
      { name: 'default', ttl: 60_000, limit: limitOf('perMinute') },
      { name: 'day', ttl: 86_400_000, limit: limitOf('perDay') },
    ]),
  ],
  controllers: [PetsController],
  providers: [
    PetsService,
    { provide: APP_GUARD, useClass: AccountThrottlerGuard },
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
})
export class AppModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(HeadersMiddleware, AccountMiddleware).forRoutes(PetsController);
  }
}
