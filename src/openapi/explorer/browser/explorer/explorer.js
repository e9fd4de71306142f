import { authorizationDialog } from './authorization-dialog.js';
import { explorerLayout } from './layout.js';
import { liveResponse } from './live-response.js';
import { fieldNames } from './field-names.js';
import { operationFilter } from './operation-filter.js';
import { operationSummary } from './operation-summary.js';
import { requestDuration } from './request-duration.js';
import { documentedResponses } from './documented-responses.js';
import { ownServerFirst } from './servers.js';

const DOCUMENT = new URL('../../openapi.json', import.meta.url);
const API = new URL('../../v1', import.meta.url);

const response = await fetch(DOCUMENT);
if (!response.ok) throw new Error(`${DOCUMENT} responded with ${response.status}`);
/** @type {OpenApiDocument} */
const spec = await response.json();

SwaggerUIBundle({
  domNode: document.querySelector('#explorer'),
  url: DOCUMENT.href,
  spec: { ...spec, servers: ownServerFirst(spec.servers ?? [], API) },
  layout: 'ExplorerLayout',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [
    explorerLayout(spec),
    operationFilter,
    operationSummary(spec),
    documentedResponses,
    liveResponse,
    requestDuration,
    authorizationDialog(spec),
    fieldNames,
  ],
  filter: true,
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  showCommonExtensions: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'tomorrow-night' },
  validatorUrl: null,
});
