type Below = (below: number) => number;

const ROUTES = [
  'GET /v1/pets?limit=100',
  'POST /v1/pets',
  'PATCH /v1/pets/1',
  'DELETE /v1/pets/1',
  'GET /v1/pets/1',
  'GET /v1/usage',
  'POST /v1/keys',
  'GET /v1/nothing',
  'PUT /v1/pets',
  'OPTIONS /v1/pets',
  'GET /docs',
  'GET /docs/plans',
  'GET /docs/assets/current/swagger-ui-bundle.js',
  'GET /metrics',
  'GET /health/ready',
  'GET /openapi.json',
  'GET /openapi.yaml',
  'POST /docs',
  'GET /nothing',
];

/** Bytes before a request, or instead of one. */
const GREETINGS = [
  '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n',
  'CONNECT x HTTP/1.1\r\n\r\n',
  'DESCRIBE /v1/pets RTSP/1.0\r\n\r\n',
  'GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n',
  'BREW /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n',
  '\r\n\r\n\r\n',
  '\x00\x00',
];

/** Headers that ask for something, or that contradict each other. */
const HEADERS = [
  'Expect: 100-continue\r\n',
  'Expect: the-unexpected\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
  'Connection: close\r\n',
  'TE: trailers\r\nTrailer: X-Checksum\r\n',
  'Content-Length: -1\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
  'Host: y\r\n',
  'Content-Encoding: gzip\r\n',
  'Idempotency-Key: "x"\r\n',
  'If-None-Match: *\r\n',
];

/** Makes the bytes of one connection, from requests that are valid except for something. */
export class RudeRequests {
  constructor(
    private readonly below: Below,
    private readonly key: string,
  ) {}

  /** What one connection sends, in one to some pieces. */
  next(): Buffer[] {
    const { below } = this;
    const parts: string[] = [];
    if (below(8) === 0) parts.push(this.one(GREETINGS));
    const requests = below(4) === 0 ? 1 + below(40) : 1;
    for (let n = 0; n < requests; n += 1) parts.push(this.request());
    if (below(6) === 0) parts.push(this.one(GREETINGS));
    const whole = Buffer.from(parts.join(''), 'latin1');
    const bytes = below(3) === 0 ? whole.subarray(0, below(whole.length)) : whole;
    const cut = below(3) === 0 ? below(bytes.length + 1) : bytes.length;
    return [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
  }

  private one(list: readonly string[]): string {
    return list[this.below(list.length)] ?? '';
  }

  private request(): string {
    const { below } = this;
    const route = this.one(ROUTES);
    const target = below(30) === 0 ? `${route}${'x'.repeat(below(70_000))}` : route;
    const version = below(20) === 0 ? '1.0' : '1.1';
    const headers = ['Host: x\r\n'];
    if (below(2) === 0) headers.push(`Authorization: Bearer ${this.key}\r\n`);
    for (let count = below(3); count > 0; count -= 1) if (below(3) === 0) headers.push(this.one(HEADERS));
    if (below(25) === 0) headers.push('a:b\r\n'.repeat(below(5_000)));
    if (below(40) === 0) headers.push(`X-Long: ${'x'.repeat(below(40_000))}\r\n`);
    const head = `${target} HTTP/${version}\r\n${headers.join('')}`;
    return route.startsWith('P') || below(10) === 0 ? head + this.body() : `${head}\r\n`;
  }

  private body(): string {
    const { below } = this;
    const text = JSON.stringify({ name: 'x'.repeat(1 + below(255)), categoryId: 1 }).padEnd(below(20_000));
    const type = 'Content-Type: application/json\r\n';
    if (below(2) === 0) return `${type}Content-Length: ${text.length}\r\n\r\n${text}`;
    return `${type}Transfer-Encoding: chunked\r\n\r\n${this.chunks(text)}`;
  }

  /** All of one size, from 1 to 64 bytes. */
  private chunks(text: string): string {
    const { below } = this;
    const size = 1 + below(64);
    const extension = below(10) === 0 ? `;x=${'y'.repeat(below(300))}` : '';
    const chunks: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      const chunk = text.slice(at, at + size);
      chunks.push(`${chunk.length.toString(16)}${extension}\r\n${chunk}\r\n`);
    }
    if (below(8) === 0)
      chunks.splice(below(chunks.length + 1), 0, this.one(['zz\r\n', '-1\r\n', '\r\n', 'fffffffff\r\n']));
    const trailers = below(8) === 0 ? 'X-Checksum: 1\r\n'.repeat(1 + below(200)) : '';
    return `${chunks.join('')}0\r\n${trailers}\r\n`;
  }
}
