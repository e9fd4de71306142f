import { Body, Controller, Get, Header, Param, ParseIntPipe, Post, Query, Res } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Pet } from './entities.js';
import { ListPetsDto, NewPetDto } from './pets.dto.js';
import { PetsService } from './pets.service.js';

@Controller('pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  async list(@Query() query: ListPetsDto, @Res({ passthrough: true }) response: ServerResponse): Promise<object[]> {
    const { limit, status } = query;
    const found = await this.pets.list(query);
    const page = found.slice(0, limit);
    if (found.length > limit) {
      const filter = status === undefined ? '' : `&status=${status}`;
      response.setHeader('Link', `</v1/pets?limit=${limit}${filter}&after=${page.at(-1)?.id}>; rel="next"`);
    }
    return page.map(withoutNull);
  }

  @Get(':id')
  @Header('Deprecation', '@1795219200')
  @Header('Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT')
  @Header('Link', '</v1/pets>; rel="successor-version", </docs#/Pets/getPet>; rel="deprecation"; type="text/html"')
  async get(@Param('id', ParseIntPipe) id: number): Promise<object> {
    return withoutNull(await this.pets.get(id));
  }

  @Post()
  async create(@Body() body: NewPetDto, @Res({ passthrough: true }) response: ServerResponse): Promise<object> {
    const pet = await this.pets.create(body);
    response.setHeader('Location', `/v1/pets/${pet.id}`);
    return withoutNull(pet);
  }
}

function withoutNull({ status, ...pet }: Pet): object {
  return status === null ? pet : { ...pet, status };
}
