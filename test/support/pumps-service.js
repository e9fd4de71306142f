#!/usr/bin/env node
// A service with an extension whose provider must not be used after it was destroyed, and with responses that take long.
import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Param, Sse, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { interval, map, startWith } from 'rxjs';
import { Public, startService } from '../../dist/src/index.js';

/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, ' ');

class PumpsController {
  isDestroyed = false;
  inProgress = 0;

  onModuleDestroy() {
    this.isDestroyed = true;
  }

  get() {
    if (this.isDestroyed) throw new Error('The provider was destroyed.');
    return { inProgress: this.inProgress };
  }

  async slow() {
    this.inProgress += 1;
    await delay(1_000);
    return {};
  }

  large() {
    return new StreamableFile(LARGE);
  }

  /** As a library might that forgets an error. */
  breakDown({ how }) {
    setImmediate(() => {
      if (how === 'throw') throw new Error('A pipe broke.');
      void Promise.reject(new Error('A pipe broke.'));
    });
    return {};
  }

  stream() {
    return interval(1_000).pipe(
      startWith(0),
      map((data) => ({ data: String(data) })),
    );
  }
}

function decorate(method, decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(PumpsController.prototype, method);
  for (const decorator of decorators) decorator(PumpsController.prototype, method, descriptor);
}

decorate('get', [Get(), Public()]);
decorate('large', [Get('large'), Public()]);
decorate('slow', [Get('slow'), Public()]);
Param()(PumpsController.prototype, 'breakDown', 0);
decorate('breakDown', [Get('break-down/:how'), Public()]);
decorate('stream', [Sse('stream'), Public()]);
ApiExcludeController()(PumpsController);
Controller('pumps')(PumpsController);

await startService({ extensions: [{ module: { module: PumpsController, controllers: [PumpsController] } }] });
