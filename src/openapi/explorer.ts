import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { Clock, Env } from '../config/index.js';
import { createDocument, withoutRemoved } from './document.js';
import { guardExplorerRoutes } from './explorer-routes.js';
import type { PlanLimits } from './service-description.js';

/** Swagger UI paints the method of a deprecated operation white on white, and lets long types run into descriptions. */
const STYLES = `
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #8f9094 }
.swagger-ui table tbody tr td.parameters-col_name { padding-right: 1em }`;

/** Serves Swagger UI at `/docs`, with no resource from elsewhere, and the document at `/openapi.json` and `/openapi.yaml`. */
export function serveExplorer(app: INestApplication, plans: PlanLimits): void {
  const clock = app.get(Clock);
  const env = app.get(Env);
  guardExplorerRoutes(app.getHttpAdapter().getInstance() as FastifyInstance, '/docs');
  SwaggerModule.setup('docs', app, () => createDocument(app, plans), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Pet Store Service',
    customCss: STYLES,
    // The document is built once; time passes, and removal dates with it.
    patchDocumentOnRequest: (_request, _reply, document) => withoutRemoved(document, clock, env),
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      displayOperationId: true,
      showExtensions: true,
      showCommonExtensions: true,
      tryItOutEnabled: true,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
    },
  });
}
