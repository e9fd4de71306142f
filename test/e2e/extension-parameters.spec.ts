import { describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  type PipeTransform,
  Post,
  Query,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { IsIn, IsString, Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { PetEntity, PetsModule, PetsService, RequireScope } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { AMPLE, key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

@ValidatorConstraint({ async: true })
class IsFree implements ValidatorConstraintInterface {
  async validate(name: string): Promise<boolean> {
    return name !== 'taken';
  }

  defaultMessage(): string {
    return 'name is taken';
  }
}

class Nickname {
  @IsString()
  @Validate(IsFree)
  name!: string;
}

class Filter {
  @IsIn(['new'])
  state!: string;
}

class Address {
  @IsString()
  city!: string;
}

@Injectable()
class PetByIdPipe implements PipeTransform<string, Promise<object>> {
  constructor(private readonly pets: PetsService) {}

  async transform(id: string): Promise<object> {
    if (id === '0') throw new NotFoundException('There is no such pet.');
    return this.pets.get(id);
  }
}

@ApiExcludeController()
@Controller('parameters')
class ParametersController {
  @Post('nicknames')
  @RequireScope('pets:write')
  nickname(@Body() nickname: Nickname): Nickname {
    return nickname;
  }

  @Post('addresses')
  @RequireScope('pets:write')
  address(@Body('address') address: Address): Address {
    return address;
  }

  @Get('pets/:id')
  @RequireScope('pets:read')
  pet(@Param('id', PetByIdPipe) pet: PetEntity): string {
    return pet.name;
  }

  @Get('filters')
  @RequireScope('pets:read')
  filter(@Query('filter') filter: Filter): object {
    return { filter };
  }
}

@Module({ imports: [PetsModule], controllers: [ParametersController] })
class ParametersModule {}

shareApp({ extensions: [{ module: ParametersModule }] }, AMPLE);

const get = (path: string) => service.request(`/v1/${path}`, { key });
const post = (path: string, body: object) =>
  service.request(`/v1/${path}`, { key, method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

describe('a rule that is asynchronous', () => {
  it('refuses what it does not accept', async () => {
    expect(await (await post('parameters/nicknames', { name: 'free' })).json()).toEqual({ name: 'free' });
    expect(await errorOf(await post('parameters/nicknames', { name: 'taken' }))).toEqual({
      status: 400,
      code: 'validation_failed',
      message: 'name is taken.',
    });
  });
});

describe('a pipe of a parameter', () => {
  it('makes an entity from an identifier', async () => {
    const { id } = (await (await post('pets', { name: 'Rex', categoryId: 1 })).json()) as { id: number };
    expect(await (await get(`parameters/pets/${id}`)).text()).toBe('Rex');
    expect(await errorOf(await get('parameters/pets/0'))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('a DTO for a part of the request', () => {
  it('is refused without that part of the body', async () => {
    expect(await (await post('parameters/addresses', { address: { city: 'Ulm' } })).json()).toEqual({ city: 'Ulm' });
    for (const [body, message] of [
      [{}, 'city must be a string.'],
      [{ address: 'Ulm' }, 'address must be a JSON object.'],
    ] as const)
      expect(await errorOf(await post('parameters/addresses', body))).toMatchObject({ status: 400, message });
  });

  it('is refused if a query has a text in its place', async () => {
    expect(await errorOf(await get('parameters/filters?filter=new'))).toMatchObject({ status: 400 });
  });
});
