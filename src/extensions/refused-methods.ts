import type { INestApplication } from '@nestjs/common';
import { ExtensionError } from './extension.js';

/** Methods of an application that would move the API or contradict its document. */
const INSTEAD = {
  enableCors: 'Set CORS_ORIGINS.',
  enableVersioning: '/v1 is the version. Put another version into the paths of controllers.',
  setGlobalPrefix: 'All routes are below /v1. Put a prefix into the paths of controllers.',
};

/** Makes the methods throw, in `configure` and afterwards. */
export function refuseMethods(app: INestApplication): void {
  for (const [method, advice] of Object.entries(INSTEAD)) {
    const refuse = () => {
      throw new ExtensionError(`The extensions are not valid:\n  app.${method}() is refused. ${advice}`);
    };
    // Nest's proxy around the application ignores assignments.
    Object.defineProperty(app, method, { value: refuse, configurable: true });
  }
}
