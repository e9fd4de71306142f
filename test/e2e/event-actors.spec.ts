import { Body, Controller, type ExecutionContext, Get, Injectable, Module, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { runAs, currentActor, type NewPet, PetsModule, PetsService, Public, RequireScope } from '../../src/index.js';
import type { RecordedEvents } from '../../src/testing/index.js';
import { AMPLE, service, shareApp } from '../support/folders.js';

@Injectable()
class ActorGuard {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<FastifyRequest>().caller?.keyId === currentActor();
  }
}

/** Takes pets in for other operations. */
@ApiExcludeController()
@Controller('shelter')
class ShelterController {
  constructor(private readonly pets: PetsService) {}

  @Post()
  @RequireScope('pets:write')
  takeIn(@Body() { name }: { name: string }): Promise<object> {
    return this.pets.create({ name, categoryId: 1 } as NewPet);
  }

  @Post('open')
  @Public()
  takeInFromAnybody(): Promise<object> {
    return this.pets.create({ name: 'Stray', categoryId: 1 } as NewPet);
  }

  @Get('actor')
  @RequireScope('pets:read')
  @UseGuards(ActorGuard)
  actor(): object {
    return { actor: currentActor() };
  }
}

@Module({ imports: [PetsModule], controllers: [ShelterController] })
class ShelterModule {}

const pets = () => service.app.get(PetsService, { strict: false });

describe('the actor of an event', () => {
  let events: RecordedEvents;

  shareApp({ extensions: [{ module: ShelterModule }] });
  beforeEach(() => {
    events = service.record('pet.created');
  });

  it('is the key of the request in which an extension does it, also of requests at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => service.createKey(AMPLE)));
    const requests = keys.flatMap((key) => Array.from({ length: 4 }, () => ({ key, body: { name: key.id } })));
    const responses = await Promise.all(requests.map((request) => service.json('/v1/shelter', request)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const heard = await events.take(requests.length);
    expect(heard.map(({ actor }) => actor)).toEqual(heard.map(({ after }) => (after as { name: string }).name));
    expect(new Set(heard.map(({ actor }) => actor)).size).toBe(keys.length);
  });

  it('is unknown on a public route and in background work, unless the work names one', async () => {
    expect((await service.request('/v1/shelter/open', { method: 'POST' })).status).toBe(201);
    await pets().create({ name: 'Found', categoryId: 1 } as NewPet);
    await runAs('night-shift', () => pets().create({ name: 'Owl', categoryId: 1 } as NewPet));
    expect((await events.take(3)).map(({ actor }) => actor)).toEqual([undefined, undefined, 'night-shift']);
  });

  it('can be read in guards and handlers', async () => {
    const key = await service.createKey(AMPLE);
    expect(await service.json('/v1/shelter/actor', { key })).toMatchObject({ status: 200, body: { actor: key.id } });
  });
});
