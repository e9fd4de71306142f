import { beforeAll, describe, expect, it } from '@jest/globals';
import { applyDecorators, Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Operation } from '../../src/index.js';
import { key, service, shareApp } from '../support/folders.js';
import { operationsOf } from '../support/operations.js';
import { shareFolder } from '../support/share-folder.js';
import { call, CLIENTS, writeClients } from './client-programs.js';

const operation = operationsOf('pets:read', 'Words');

const OptionalText = () => applyDecorators(ApiPropertyOptional(), IsOptional(), IsString());

/** Parameters whose names a language or a client needs for something else. */
class Words {
  @OptionalText()
  lambda?: string;

  @OptionalText()
  self?: string;

  @OptionalText()
  options?: string;

  @OptionalText()
  body?: string;

  @OptionalText()
  headers?: string;

  @OptionalText()
  '2nd'?: string;
}

class Word {
  @ApiProperty()
  @IsString()
  text!: string;
}

const JSON_OBJECT = { success: { status: 200, description: 'Words.', type: Object } };

@Controller('words')
class WordsController {
  @Get('of/:class/:path')
  @Operation(operation('import', JSON_OBJECT))
  find(@Param('class') kind: string, @Param('path') path: string): object {
    return { kind, path };
  }

  @Post('of/:query')
  @Operation(operation('wait', JSON_OBJECT))
  add(@Param('query') query: string, @Query() words: Words, @Body() word: Word): object {
    return { query, words, word };
  }
}

@Module({ controllers: [WordsController] })
class WordsModule {}

const folder = shareFolder();
shareApp({ extensions: [{ module: WordsModule }] });
beforeAll(() => writeClients(service, folder, ['calls']));

describe.each(CLIENTS)('the client in /docs/client.$language', (client) => {
  const word = { text: 'dog' };
  const words = { lambda: 'a', self: 'b', options: 'c', body: 'd', headers: 'e', '2nd': 'f' };
  const inPython = { lambda_: 'a', self_: 'b', options_: 'c', body_: 'd', headers_: 'e', _2nd: 'f' };
  const [find, query] = client.language === 'ts' ? ['import', words] : ['import_', inPython];

  it('calls operations whose names and parameters it or its language needs for something else', async () => {
    const calls = [
      { name: find, given: ['noun', 'a/b'] },
      { name: client.language === 'ts' ? 'wait_' : 'wait', given: ['x', word], query },
    ];
    const { results } = await call(client, folder, `${service.origin}/v1`, key, calls);
    expect(results).toEqual([
      { kind: 'noun', path: 'a/b' },
      { query: 'x', words, word },
    ]);
  });
});
