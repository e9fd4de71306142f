#!/usr/bin/env node
// A service with an extension whose provider must not be used after it was destroyed, and with responses that take long.
import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Inject, Param, Sse, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { interval, map, startWith, Subject, takeUntil } from 'rxjs';
import { Public, startService } from '../../dist/src/index.js';

/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, ' ');

class PumpsController {
  isDestroyed = false;
  inProgress = 0;
  ended = new Subject();

  constructor({ httpAdapter }) {
    httpAdapter.getInstance().addHook('preClose', async () => this.ended.next());
  }

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

  endingStream() {
    return this.stream().pipe(takeUntil(this.ended));
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
decorate('endingStream', [Sse('stream/ending'), Public()]);
Inject(HttpAdapterHost)(PumpsController, undefined, 0);
ApiExcludeController()(PumpsController);
Controller('pumps')(PumpsController);

await startService({ extensions: [{ module: { module: PumpsController, controllers: [PumpsController] } }] });
