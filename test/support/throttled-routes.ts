import { Controller, Get } from '@nestjs/common';
import { SkipThrottle, Throttle } from '@nestjs/throttler';
import { Public } from '../../src/auth/access.decorators.js';
import { Deprecated } from '../../src/lifecycle/deprecation.interceptor.js';

@Controller('plain')
export class PlainController {
  @Get()
  get(): string {
    return 'plain';
  }
}

@Controller('reports')
@Throttle({ default: { limit: 5, ttl: 10_000 } })
export class ReportsController {
  @Get()
  list(): string {
    return 'list';
  }

  @Get('heavy')
  @Throttle({ default: { limit: 2, ttl: 2_000 } })
  @Deprecated({ since: '2026-11-21', sunset: '2030-12-05', successor: '/v1/pets', advice: '', documentation: '/docs' })
  heavy(): string {
    return 'heavy';
  }

  @Get('public')
  @Public()
  open(): string {
    return 'public';
  }

  @Get('free')
  @SkipThrottle()
  free(): string {
    return 'free';
  }

  @Get('computed')
  @Throttle({ default: { limit: () => 1, ttl: async () => 1_500 } })
  computed(): string {
    return 'computed';
  }

  @Get('hourly')
  @Throttle({ hourly: { limit: 1, ttl: 3_600_000 } })
  hourly(): string {
    return 'hourly';
  }

  @Get('blocked')
  @Throttle({ default: { limit: 1, ttl: 1_000, blockDuration: 60_000 } })
  blocked(): string {
    return 'blocked';
  }
}

@Controller('half')
export class HalfController {
  @Get()
  @Throttle({ default: { limit: 1 } })
  half(): string {
    return 'half';
  }
}
