import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Env,
  Idempotent,
  Operation,
  OperationGroup,
  PageQuery,
  publicAddress,
  type ResponseBody,
  Revalidates,
  sendPage,
} from 'petstore-service';
import { VetVisitCreation } from './vet-visit.dto.js';
import { VetVisit } from './vet-visit.entity.js';
import { VetVisitsService } from './vet-visits.service.js';

@OperationGroup('Vet visits', 'The operations of this extension.')
@Controller('vet-visits')
export class VetVisitsController {
  constructor(
    private readonly service: VetVisitsService,
    private readonly env: Env,
  ) {}

  @Post()
  @Idempotent()
  @Operation({
    id: 'createVetVisit',
    summary: 'Create a vet visit',
    scope: 'vet-visits:write',
    stability: 'experimental',
    success: { status: 201, description: 'The new vet visit.', type: VetVisit },
  })
  create(@Body() body: VetVisitCreation): Promise<VetVisit> {
    return this.service.create(body);
  }

  @Get()
  @Revalidates('Link')
  @Operation({
    id: 'listVetVisits',
    summary: 'List vet visits',
    scope: 'vet-visits:read',
    stability: 'experimental',
    success: { status: 200, description: 'A page of vet visits.', type: [VetVisit], headers: ['Link', 'ETag'] },
  })
  async list(@Query() query: PageQuery, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResponseBody> {
    return sendPage(reply, publicAddress(this.env, '/vet-visits'), query, await this.service.list(query));
  }
}
