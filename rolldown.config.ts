import { defineConfig } from 'rolldown';

/**
 * Packages that stay outside: what comes with a binary, and what each request goes through, as Nest is 8 % slower when it is
 * bundled (a CommonJS package that requires it turns its functions into variables).
 */
const EXTERNAL = /^(?:@nestjs\/(?:common|core|platform-fastify|throttler)|better-sqlite3|fastify|pino|reflect-metadata|rxjs)(?:\/|$)/;

/** Looks for two classes that TypeORM 1 no longer has, in a TypeORM outside of the bundle that it would load for that. */
const COMPATIBILITY_WITH_TYPEORM_0 = /@nestjs\/typeorm\/.*\/typeorm-compat\.js$/;

/** Puts the rest of what `main.js` loads into one file: to find, read and link 2,600 modules is most of a start. */
export default defineConfig({
  input: 'dist/src/main.js',
  platform: 'node',
  external: EXTERNAL,
  plugins: [
    {
      name: 'typeorm-1',
      load: {
        filter: { id: COMPATIBILITY_WITH_TYPEORM_0 },
        handler: () => 'export const Connection = undefined, AbstractRepository = undefined;',
      },
    },
  ],
  output: { dir: 'dist/src', entryFileNames: 'main.js', chunkFileNames: 'bundle/[name].js', sourcemap: true },
});
