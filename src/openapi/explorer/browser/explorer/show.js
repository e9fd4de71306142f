import { authorizationDialog } from './authorization-dialog.js';
import { constraints } from './constraints.js';
import { correctAttributes } from './corrections.js';
import { explorerLayout } from './layout.js';
import { keyInUse } from './key-in-use.js';
import { liveResponse } from './live-response.js';
import { fieldNames } from './field-names.js';
import { operationFilter } from './operation-filter.js';
import { operationSummary } from './operation-summary.js';
import { references } from './references.js';
import { refusalAdvice } from './refusal-advice.js';
import { rehearsalMenu, withRehearsalMenus } from './rehearsal-menu.js';
import { requestDuration } from './request-duration.js';
import { requestSamples } from './request-samples.js';
import { documentedResponses } from './documented-responses.js';
import { ownServerFirst } from './servers.js';
import { waitingToRetry } from './retry.js';

const API = new URL('../../../../v1', import.meta.url);

/**
 * Shows the operations, once Swagger UI is loaded.
 * @param {OpenApiDocument} spec
 * @param {string} url of the document
 */
export function show(spec, url) {
  const domNode = /** @type {Element} */ (document.querySelector('#explorer'));
  correctAttributes(domNode);
  SwaggerUIBundle({
    domNode,
    url,
    spec: { ...withRehearsalMenus(spec), servers: ownServerFirst(spec.servers ?? [], API) },
    layout: 'ExplorerLayout',
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [
      references,
      explorerLayout(spec),
      operationFilter,
      operationSummary(spec),
      constraints,
      rehearsalMenu(spec),
      requestSamples(spec),
      documentedResponses,
      liveResponse(spec),
      refusalAdvice,
      waitingToRetry,
      requestDuration,
      authorizationDialog(spec),
      keyInUse,
      fieldNames,
    ],
    filter: true,
    deepLinking: true,
    persistAuthorization: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    syntaxHighlight: { theme: 'tomorrow-night' },
    validatorUrl: null,
  });
}
