/** The layers of the code, with patterns that match their files. The first match wins. */
export const LAYERS: readonly (readonly [layer: string, pattern: RegExp])[] = [
  ['admission and authentication', /\/dist\/src\/(rate-limit|auth)\/|@nestjs\/throttler/],
  ['validation', /\/dist\/src\/validation\/|\/class-(validator|transformer)\//],
  ['database', /\/dist\/src\/(database\/|pets\/pets\.repository)|\/(typeorm|better-sqlite3)\//],
  ['catalogue and its cache', /\/dist\/src\/pets\/|\/lru-cache\//],
  ['metrics', /\/dist\/src\/metrics\/|\/(@prometheus-io|tdigest|bintrees)\//],
  ['other code of ours', /\/dist\/(src|test)\//],
  ['Nest', /\/(@nestjs\/|rxjs\/|reflect-metadata\/)/],
  [
    'Fastify',
    /\/node_modules\/(@?fastify|find-my-way|avvio|fast-|secure-json|process-warning|light-my-request|ret|rfdc|cookie)/,
  ],
  [
    'HTTP and sockets of Node',
    /^node:(_http|http|net|internal\/(http|streams?|stream_base|net|js_stream|url)|stream|_stream|events|buffer|querystring)/,
  ],
  ['rest of Node', /^node:/],
  ['other packages', /./],
];

/** Functions of V8 that belong to no file, by name. */
export const ENGINE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code outside JavaScript',
  stringify: 'serialisation',
  rawJSON: 'serialisation',
};
