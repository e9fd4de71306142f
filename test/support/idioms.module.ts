import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  BadGatewayException,
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  ConflictException,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Get,
  type HttpException,
  Injectable,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Req,
  StreamableFile,
  UnauthorizedException,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FileInterceptor } from '@nestjs/platform-fastify/multipart';
import {
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
  TerminusModule,
} from '@nestjs/terminus';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { Type } from 'class-transformer';
import { IsEmail, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { map, type Observable } from 'rxjs';
import { type Extension, type HealthIndicator, Operation, Public, Registry } from '../../src/index.js';
import { operationsOf } from './operations.js';

/*
 * Idioms from the Nest documentation, written as it shows them. Each must work as a Nest engineer expects.
 */

@Injectable()
class NotesMetrics {
  readonly notes;

  constructor(registry: Registry) {
    this.notes = new Counter({ name: 'notes_created_total', help: 'Notes.', registers: [registry] });
  }
}

class Author {
  @IsEmail()
  email!: string;
}

class NewNote {
  @IsString()
  @MaxLength(100)
  text!: string;

  @ValidateNested()
  @Type(() => Author)
  author!: Author;
}

class NotesQuery {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(5)
  limit = 3;
}

const operation = operationsOf('notes:use', 'A note');
const created = { success: { status: 201, description: 'Created.' } };

const EXCEPTIONS: Readonly<Record<string, HttpException>> = {
  conflict: new ConflictException('The note is open elsewhere.'),
  gateway: new BadGatewayException('The printer is away.'),
  forbidden: new ForbiddenException('The note is private.'),
  unauthorized: new UnauthorizedException(),
  object: new BadRequestException({ message: 'The note is empty.', hint: 'Write something.' }),
  list: new BadRequestException(['text is empty', 'author is missing']),
};

@Controller('notes')
class NotesController {
  constructor(private readonly counted: NotesMetrics) {}

  @Post()
  @Operation(operation('createNote', created))
  create(@Body() note: NewNote): object {
    this.counted.notes.inc();
    return { ...note, isInstance: note.author instanceof Author };
  }

  @Post('text')
  @Operation(operation('createText', created))
  createText(@Body('text') text: string): object {
    return { text };
  }

  @Get()
  @Operation(operation('listNotes'))
  list(@Query() { limit }: NotesQuery): object {
    return { limit };
  }

  @Get('search')
  @Operation(operation('searchNotes'))
  search(@Query('word') word: string): object {
    return { word };
  }

  @Get('text')
  @Operation(operation('getText', { success: { status: 200, description: 'Text.', type: String } }))
  text(): string {
    return 'no "JSON"';
  }

  @Get('file')
  @Operation(operation('getFile'))
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('a,b'), {
      type: 'text/csv',
      disposition: 'attachment; filename="notes.csv"',
    });
  }

  @Get('table')
  @Operation(operation('getTable', { success: { status: 200, description: 'A table.', contentType: 'text/csv' } }))
  table(): string {
    return 'text\nFeed Rex';
  }

  @Post('many')
  @Operation(operation('createNotes', { ...created, bodyLimitBytes: 500_000 }))
  createMany(@Body('texts') texts: readonly string[]): object {
    return { count: texts.length };
  }

  @Post('file')
  @Operation(operation('uploadFile', created))
  @UseInterceptors(FileInterceptor('file'))
  upload(@UploadedFile() file: { originalname: string; size: number }): object {
    return { name: file.originalname, size: file.size };
  }

  @Get('failing/:kind')
  @Operation(operation('failNote'))
  fail(@Param('kind') kind: string): never {
    throw EXCEPTIONS[kind] ?? new NotFoundException();
  }

  @Get('numbers/:number')
  @Operation(operation('getNumber'))
  number(@Param('number', ParseIntPipe) number: number): object {
    return { number };
  }

  @Get('configured')
  @Operation(operation('getConfigured', { quota: 'none' }))
  @RouteConfig({ isNoted: true })
  configured(@Req() { routeOptions }: FastifyRequest): object {
    return { isNoted: 'isNoted' in routeOptions.config };
  }
}

export const HOOK_SECRET = 'secret of the sender';

@Controller('hooks/notes')
class HooksController {
  @Post()
  @Public()
  receive(@Body() body: object): object {
    return { received: body };
  }

  @Post('signed')
  @Public()
  receiveSigned(@Req() { rawBody = Buffer.of(), headers }: FastifyRequest, @Body() body: object): object {
    const expected = createHmac('sha256', HOOK_SECRET).update(rawBody).digest();
    const given = Buffer.from(String(headers['x-signature']), 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new UnauthorizedException('The signature does not match the body.');
    return { received: body };
  }
}

@Controller('open')
class OpenController {
  @Get()
  @Public()
  open(): object {
    return { open: true };
  }
}

/** Controlled by the tests. */
export const printer = { isUp: true, isBroken: false };

@Injectable()
class PrinterHealth implements HealthIndicator {
  constructor(private readonly indicators: HealthIndicatorService) {}

  check(): HealthIndicatorResult {
    if (printer.isBroken) throw new TypeError('The printer is not as its health indicator expects.');
    const indicator = this.indicators.check('printer');
    return printer.isUp ? indicator.up() : indicator.down();
  }
}

@Controller('printer')
class PrinterController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly printerHealth: PrinterHealth,
  ) {}

  @Get('health')
  @Public()
  check(): Promise<object> {
    return this.health.check([() => this.printerHealth.check()]);
  }
}

/** Rejects one word in any query, and reverses another. */
@Injectable()
class WordPipe {
  transform(value: unknown): unknown {
    if (value === 'rude') throw new ConflictException('The pipe of the extension refuses this.');
    return value === 'turn' ? 'nrut' : value;
  }
}

function stamp(body: unknown): unknown {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile)
    ? { ...body, stamped: true }
    : body;
}

@Injectable()
class StampInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(map(stamp));
  }
}

@Injectable()
class HoursGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() !== 'http') return true;
    return context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['x-hours'] !== 'closed';
  }
}

@WebSocketGateway({ path: '/notes' })
class NotesGateway {
  @Public()
  @SubscribeMessage('greet')
  greet(): object {
    return { event: 'greeting', data: 'hello' };
  }
}

@Module({
  imports: [TerminusModule],
  controllers: [NotesController, PrinterController, HooksController, OpenController],
  providers: [
    NotesMetrics,
    PrinterHealth,
    NotesGateway,
    { provide: APP_PIPE, useClass: WordPipe },
    { provide: APP_INTERCEPTOR, useClass: StampInterceptor },
    { provide: APP_GUARD, useClass: HoursGuard },
  ],
})
class NotesModule {}

export const NOTES: Extension = {
  module: NotesModule,
  scopes: ['notes:print'],
  healthIndicators: [PrinterHealth],
  errorCodes: [{ code: 'printer_jammed', status: 409, meaning: 'The printer is jammed.' }],
};
