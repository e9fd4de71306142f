import { describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  NotFoundException,
  Param,
  ParseIntPipe,
  type PipeTransform,
  Post,
  Query,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsEmail, IsIn, IsInt, IsString, Validate, ValidateNested } from 'class-validator';
import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { IntegerParam, PetEntity, PetsModule, PetsService, Public, TextField } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { extensionOf } from '../support/extensions.js';
import { key, service, shareApp } from '../support/folders.js';
import { addHandlers, mapping, taking } from '../support/handlers.js';
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

class Author {
  @IsEmail()
  email!: string;
}

/** As another team may write it, with decorators of class-validator alone. */
class Note {
  @IsString()
  text!: string;

  @IsInt()
  page!: number;

  @ValidateNested()
  @Type(() => Author)
  author!: Author;
}

class Filter {
  @IsIn(['new'])
  state!: string;
}

class SearchQuery {
  @IntegerParam({ description: 'Most results.', minimum: 1, maximum: 10, default: 5 })
  most = 5;
}

class Search {
  @TextField({ description: 'What to look for.', example: 'Bella', maxLength: 10 })
  text!: string;
}

@Injectable()
class PetByIdPipe implements PipeTransform<string, Promise<object>> {
  constructor(private readonly pets: PetsService) {}

  async transform(id: string): Promise<object> {
    if (id === '0') throw new NotFoundException('There is no such pet.');
    return this.pets.get(id);
  }
}

const withAuthor = (note: Note) => {
  if (!(note.author instanceof Author)) throw new Error('The author is not an instance of its class.');
  return note;
};

@ApiExcludeController()
@Controller('parameters')
class ParametersController {}

addHandlers(ParametersController, {
  note: [Post('notes'), Public(), mapping(withAuthor, [Body(), Note])],
  nickname: [Post('nicknames'), Public(), mapping((nickname: Nickname) => nickname, [Body(), Nickname])],
  author: [Post('authors'), Public(), mapping((author: Author) => author, [Body('author'), Author])],
  text: [Post('texts'), Public(), mapping((text: string) => ({ text }), [Body('text'), String])],
  search: [
    Post('searches'),
    Public(),
    HttpCode(200),
    mapping(({ most }: SearchQuery, { text }: Search) => ({ most, text }), [Query(), SearchQuery], [Body(), Search]),
  ],
  word: [Get('words'), Public(), mapping((word: string) => ({ word }), [Query('word'), String])],
  filter: [Get('filters'), Public(), taking([Query('filter'), Filter])],
  number: [
    Get('numbers/:number'),
    Public(),
    mapping((number: number) => ({ number }), [Param('number', ParseIntPipe), Number]),
  ],
  pet: [Get('pets/:id'), Public(), mapping((pet: PetEntity) => pet.name, [Param('id', PetByIdPipe), PetEntity])],
});

shareApp({ extensions: [extensionOf({ imports: [PetsModule], controllers: [ParametersController] })] });

const get = (path: string) => service.request(`/v1/parameters/${path}`);
const post = (path: string, body: unknown) => service.post(`/v1/parameters/${path}`, key, body);

describe("parameters, as in Nest's documentation", () => {
  it.each<[string, string, object]>([
    ['nested DTOs', 'notes', { text: 'Feed Rex', page: 1, author: { email: 'ada@example.com' } }],
    ['DTOs with an asynchronous rule', 'nicknames', { name: 'free' }],
    ['members of a body', 'texts', { text: 'x' }],
    ['members of a body that are integers of any size', 'texts', { text: -9_223_372_036_854_775_808n }],
  ])('can be %s', async (_, path, body) => {
    expect(await service.json(`/v1/parameters/${path}`, { body })).toMatchObject({ status: 201, body });
  });

  it('can be DTOs for a part of the body, parts of the query, and numbers of the path', async () => {
    const author = { email: 'ada@example.com' };
    expect(await (await post('authors', { author })).json()).toEqual(author);
    expect(await (await get('words?word=x')).json()).toEqual({ word: 'x' });
    expect(await (await get('numbers/12')).json()).toEqual({ number: 12 });
    expect(await (await post('searches', { text: 'x' })).json()).toEqual({ most: 5, text: 'x' });
    expect(await (await post('searches?most=2', { text: 'x' })).json()).toEqual({ most: 2, text: 'x' });
  });

  it('can be entities, which a pipe reads', async () => {
    const created = await service.post('/v1/pets', key, '{"name":"Rex","categoryId":1}');
    const { id } = (await created.json()) as { id: number };
    expect(await (await get(`pets/${id}`)).text()).toBe('Rex');
    expect(await errorOf(await get('pets/0'))).toMatchObject({ status: 404, code: 'not_found' });
  });
});

const NO_TEXT = 'text must be without U+0000 and lone surrogates';
const KEY_FAULT = expect.stringContaining('Idempotency-Key must be given once');
const NAME_FAULT = expect.stringContaining('name must have 1 to 255 characters');
const CATEGORY_FAULT = 'categoryId must be an integer, not a number with a fraction';
const NO_QUERY = 'is not a known query parameter (known: none)';

async function refusalOf(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
  const response = await service.request(path, { method, key, headers: { ...JSON_TYPE, ...headers }, body: text });
  const { status, code, message } = await errorOf(response);
  return { status, code, faults: message.replace(/\.$/, '').split('; ') };
}

const refused = (...faults: unknown[]) => ({ status: 400, code: 'validation_failed', faults });

describe('parameters of an extension are refused', () => {
  it.each([
    ['by an asynchronous rule', 'nicknames', { name: 'taken' }, 'name is taken'],
    ['if a part of the body is missing', 'authors', {}, 'email must be an email'],
    ['if a part of the body is a text', 'authors', { author: 'Ada' }, 'author must be a JSON object'],
    ['with U+0000, which no database can store', 'notes', { text: '\0', page: 1 }, NO_TEXT],
    ['with a lone surrogate, which no database can store', 'notes', { text: 'a\ud800b', page: 1 }, NO_TEXT],
  ])('%s', async (_, path, body, fault) => {
    const { faults, ...refusal } = await refusalOf('POST', `/v1/parameters/${path}`, {}, body);
    expect({ ...refusal, faults: faults.slice(0, 1) }).toEqual(refused(fault));
  });

  it.each(['filters?filter=new', 'numbers/twelve'])('with a text in place of something else: %s', async (path) => {
    expect(await errorOf(await get(path))).toMatchObject({ status: 400, code: 'validation_failed' });
  });
});

describe('one message', () => {
  it.each<[string, string, string | object, unknown[]]>([
    ['PATCH', '/v1/pets/1', { name: '', categoryId: 1.5 }, [NAME_FAULT, CATEGORY_FAULT]],
    [
      'POST',
      '/v1/parameters/notes',
      { text: 5, page: '1', author: { email: 'x', age: 3 } },
      [
        'text must be a string',
        'page must be an integer number',
        '"age" is not a known field of author (known: email)',
        'author.email must be an email',
      ],
    ],
    [
      'POST',
      '/v1/pets',
      '{"é":1,"ü":1}',
      ['an unknown field was sent (known: name, categoryId, status)', 'name is required', 'categoryId is required'],
    ],
  ])('names all faults of the body of %s %s', async (method, path, body, faults) => {
    await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
    expect(await refusalOf(method, path, {}, body)).toEqual(refused(...faults));
  });

  it('names all faults of a query', async () => {
    expect(await refusalOf('POST', '/v1/parameters/searches?most=11&deep=1', {}, { text: 'x' })).toEqual(
      refused('"deep" is not a known query parameter (known: most)', 'most must be an integer from 1 to 10'),
    );
  });

  it('names the parameters of an operation that has none as far as there is room, each once', async () => {
    const { faults } = await refusalOf('DELETE', '/v1/pets/1?a=1&b=1&c=1&d=1&e=1&f=1');
    const others = ['b', 'c', 'd'].map((name) => `"${name}" is not a known query parameter`);
    expect(faults).toEqual([`"a" ${NO_QUERY}`, ...others, 'and more']);
    const unnamed = await refusalOf('POST', '/v1/pets?%C3%A9=1&%C3%BC=1', {}, '{"name":"x","categoryId":1}');
    expect(unnamed.faults).toEqual(['an unknown query parameter was sent (known: none)']);
  });

  it('is about headers, the query or the body, not about several of them', async () => {
    expect(await refusalOf('POST', '/v1/pets?verbose=1', {}, { name: '' })).toEqual(refused(`"verbose" ${NO_QUERY}`));
    expect(await refusalOf('POST', '/v1/pets', { 'idempotency-key': 'ä' }, { name: 'Bella' })).toEqual(
      refused(KEY_FAULT),
    );
  });

  it('is about what is missing, or a body that cannot be parsed, if that is so', async () => {
    const path = '/v1/pets?verbose=1';
    expect(await refusalOf('PATCH', '/v1/pets/0', {}, { name: '' })).toMatchObject({ code: 'pet_not_found' });
    expect(await refusalOf('POST', path, {}, '{')).toMatchObject({ code: 'malformed_json' });
    const text = { 'content-type': 'text/plain' };
    expect(await refusalOf('POST', path, text, 'a')).toMatchObject({ code: 'unsupported_media_type' });
    const anonymous = await service.request(path, { method: 'POST', headers: JSON_TYPE, body: '{}' });
    expect(await errorOf(anonymous)).toMatchObject({ code: 'missing_api_key' });
  });
});
