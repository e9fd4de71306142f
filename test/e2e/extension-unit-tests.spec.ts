import { describe, expect, it } from '@jest/globals';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { getDataSourceToken, getRepositoryToken } from '@nestjs/typeorm';
import { startApp } from '../support/app.js';
import { NoteEntity, NOTES, NotesController } from '../support/notes.module.js';

describe('a controller of an extension', () => {
  it("works in Nest's testing module without providers of the service, also after the service has started", async () => {
    await (await startApp({ extensions: [NOTES] })).stop();
    const testing = await Test.createTestingModule({
      controllers: [NotesController],
      providers: [
        { provide: getRepositoryToken(NoteEntity), useValue: { save: async () => ({ id: 7 }) } },
        { provide: getDataSourceToken(), useValue: {} },
      ],
    }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    await app.init();
    const response = await app.inject({ method: 'POST', url: '/notes', payload: { text: 'Feed Rex', petId: 1 } });
    expect([response.statusCode, response.json()]).toEqual([200, { id: 7 }]);
    await app.close();
  });
});
