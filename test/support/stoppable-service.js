#!/usr/bin/env node
// A service with an extension whose provider must not be used after it was destroyed, and whose stream never ends.
import 'reflect-metadata';
import { Controller, Get, Sse } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { interval, map, startWith } from 'rxjs';
import { Public, startService } from '../../dist/src/index.js';

class PumpsController {
  isDestroyed = false;

  onModuleDestroy() {
    this.isDestroyed = true;
  }

  get() {
    if (this.isDestroyed) throw new Error('The provider was destroyed.');
    return { pumping: true };
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
decorate('stream', [Sse('stream'), Public()]);
ApiExcludeController()(PumpsController);
Controller('pumps')(PumpsController);

await startService({ extensions: [{ module: { module: PumpsController, controllers: [PumpsController] } }] });
