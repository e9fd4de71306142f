import { beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, HttpCode, Module, Post, Query } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { ApiExcludeController } from '@nestjs/swagger';
import { IntegerParam, Public, TextField } from '../../src/index.js';
import { errorOf } from '../support/expectations.js';
import { key, service, shareApp } from '../support/folders.js';
import { JSON_TYPE } from '../support/http.js';

class SearchQuery {
  @IntegerParam({ description: 'Most results.', minimum: 1, maximum: 10, default: 5 })
  most = 5;
}

class Search {
  @TextField({ description: 'What to look for.', example: 'Bella', maxLength: 10 })
  text!: string;
}

/** As another team may write it, with decorators of class-validator alone. */
class PlainSearch {
  @IsString()
  text!: string;

  @IsInt()
  page!: number;
}

@ApiExcludeController()
@Controller('searches')
class SearchesController {
  @Post()
  @Public()
  @HttpCode(200)
  search(@Query() { most }: SearchQuery, @Body() { text }: Search): object {
    return { most, text };
  }

  @Post('plain')
  @Public()
  @HttpCode(200)
  plain(@Body() search: PlainSearch, @Query() { most }: SearchQuery): object {
    return { ...search, most };
  }
}

@Module({ controllers: [SearchesController] })
class SearchesModule {}

shareApp({ extensions: [{ module: SearchesModule }] });
beforeAll(async () => {
  await service.post('/v1/pets', key, '{"name":"Bella","categoryId":1}');
});

const KEY_FAULT =
  'Idempotency-Key must be given once, as 1 to 255 characters of printable ASCII, or as such a text in double quotes with \\ before " and \\';
const NAME_FAULT =
  'name must have 1 to 255 characters, not only white space, without control characters or lone surrogates';
const CATEGORY_FAULT = 'categoryId must be an integer, not a number with a fraction';
const NO_QUERY = 'is not a known query parameter (known: none)';

async function refusalOf(method: string, path: string, headers: Record<string, string>, body: string | null = null) {
  const response = await service.request(path, { method, key, headers: { ...JSON_TYPE, ...headers }, body });
  const { status, code, message } = await errorOf(response);
  return { status, code, faults: message.replace(/\.$/, '').split('; ') };
}

const refused = (...faults: string[]) => ({ status: 400, code: 'validation_failed', faults });

describe('one message', () => {
  it('names all faults of a body', async () => {
    expect(await refusalOf('PATCH', '/v1/pets/1', {}, '{"name":"","categoryId":1.5}')).toEqual(
      refused(NAME_FAULT, CATEGORY_FAULT),
    );
    expect(await refusalOf('POST', '/v1/searches/plain', {}, '{"text":5,"page":"1"}')).toEqual(
      refused('text must be a string', 'page must be an integer number'),
    );
    expect(await refusalOf('POST', '/v1/pets', {}, '{"é":1,"ü":1}')).toEqual(
      refused(
        'an unknown field was sent (known: name, categoryId, status)',
        'name is required',
        'categoryId is required',
      ),
    );
  });

  it('names all faults of a query', async () => {
    expect(await refusalOf('POST', '/v1/searches?most=11&deep=1', {}, '{"text":"x"}')).toEqual(
      refused('"deep" is not a known query parameter (known: most)', 'most must be an integer from 1 to 10'),
    );
  });

  it('names the parameters of an operation that has none as far as there is room, each once', async () => {
    const { faults } = await refusalOf('DELETE', '/v1/pets/1?a=1&b=1&c=1&d=1&e=1&f=1', {});
    expect(faults).toEqual([`"a" ${NO_QUERY}`, `"b" ${NO_QUERY}`, `"c" ${NO_QUERY}`, 'and more']);
    const unnamed = await refusalOf('POST', '/v1/pets?%C3%A9=1&%C3%BC=1', {}, '{"name":"x","categoryId":1}');
    expect(unnamed.faults).toEqual(['an unknown query parameter was sent (known: none)']);
  });

  it('is about headers, the query or the body, not about several of them', async () => {
    expect(await refusalOf('POST', '/v1/pets?verbose=1', {}, '{"name":""}')).toEqual(refused(`"verbose" ${NO_QUERY}`));
    expect(await refusalOf('POST', '/v1/pets', { 'idempotency-key': 'ä' }, '{"name":"Bella"}')).toEqual(
      refused(KEY_FAULT),
    );
  });
});

describe('other errors', () => {
  it('come first: what is missing, and a body that cannot be parsed', async () => {
    const faulty = '{"name":""}';
    expect(await refusalOf('PATCH', '/v1/pets/0', {}, faulty)).toMatchObject({
      code: 'pet_not_found',
    });
    expect(await refusalOf('POST', '/v1/pets?verbose=1', {}, '{')).toMatchObject({ code: 'malformed_json' });
    expect(await refusalOf('POST', '/v1/pets?verbose=1', { 'content-type': 'text/plain' }, 'a')).toMatchObject({
      code: 'unsupported_media_type',
    });
    const anonymous = await service.request('/v1/pets?verbose=1', { method: 'POST', headers: JSON_TYPE, body: faulty });
    expect(await errorOf(anonymous)).toMatchObject({ code: 'missing_api_key' });
  });
});
