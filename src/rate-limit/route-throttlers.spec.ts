import { describe, expect, it } from '@jest/globals';
import { Controller, Get, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Throttle, ThrottlerModule } from '@nestjs/throttler';
import { DISCOVERED_THROTTLERS } from './route-throttlers.js';
import { PlainController } from '../../test/support/throttled-routes.js';

@Controller('half')
class HalfController {
  @Get()
  @Throttle({ burst: { limit: 1 } })
  half(): string {
    return 'half';
  }
}

@Controller('blocked')
class BlockedController {
  @Get()
  @Throttle({ burst: { limit: 1, ttl: 1_000, blockDuration: 60_000 } })
  blocked(): string {
    return 'blocked';
  }
}

const start = (controllers: Type[], imports = [DISCOVERED_THROTTLERS]) =>
  Test.createTestingModule({ imports, controllers }).compile();

describe('a limit that cannot be enforced', () => {
  it.each([
    ['lacks its window', HalfController, '@Throttle() of HalfController.half needs limit and ttl.'],
    [
      'blocks longer than its window',
      BlockedController,
      '@Throttle() of BlockedController.blocked has blockDuration, which is not supported.',
    ],
  ])('stops the start if it %s', async (_, controller, message) => {
    await expect(start([controller])).rejects.toThrow(message);
  });

  it('stops the start if it is in a ThrottlerModule of an extension', async () => {
    const own = ThrottlerModule.forRoot([{ name: 'short', limit: 1, ttl: 1_000 }]);
    await expect(start([PlainController], [DISCOVERED_THROTTLERS, own])).rejects.toThrow(
      'The service imports ThrottlerModule already',
    );
  });
});
