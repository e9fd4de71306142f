import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const IN_CONFIGURE = 'It would have no effect: call it in configure() of createApp().';

/** Methods that the service replaces by its own settings. */
const NEVER = {
  enableCors: 'Set CORS_ORIGINS instead, so that preflights need no key and use no quota.',
  enableVersioning: 'The prefix /v1 is the version. Put another version into the paths of controllers.',
  setGlobalPrefix: 'The prefix is /v1. List paths outside of it in prefixExclusions of an extension.',
};

/** Methods whose effect Nest reads when the application is initialised. */
const AFTER_INIT = {
  useGlobalFilters: IN_CONFIGURE,
  useGlobalGuards: IN_CONFIGURE,
  useGlobalInterceptors: IN_CONFIGURE,
  useGlobalPipes: IN_CONFIGURE,
  useWebSocketAdapter: IN_CONFIGURE,
};

export function refuseOwnWays(app: NestFastifyApplication): void {
  refuse(app, NEVER);
}

export function refuseLateChanges(app: NestFastifyApplication): void {
  refuse(app, AFTER_INIT);
}

/** Makes methods of an application throw, because they would have no effect or do harm. */
function refuse(app: NestFastifyApplication, advice: Readonly<Record<string, string>>): void {
  for (const [method, words] of Object.entries(advice)) {
    const refusal = () => {
      throw new Error(`app.${method}() is refused. ${words}`);
    };
    // Nest's proxy around the application ignores assignments.
    Object.defineProperty(app, method, { value: refusal, configurable: true });
  }
}
