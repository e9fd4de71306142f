import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { Clock, Env } from '../config/index.js';
import { createDocument, withoutRemoved } from './document.js';

/** Serves Swagger UI at `/docs`, with no resource from elsewhere, and the document at `/openapi.json` and `/openapi.yaml`. */
export function serveExplorer(app: INestApplication): void {
  const clock = app.get(Clock);
  const env = app.get(Env);
  SwaggerModule.setup('docs', app, () => createDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Pet Store Service',
    // The document is built once; time passes, and removal dates with it.
    patchDocumentOnRequest: (_request, _reply, document) => withoutRemoved(document, clock, env),
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      displayOperationId: true,
      showExtensions: true,
      tryItOutEnabled: true,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      validatorUrl: null,
    },
  });
}
