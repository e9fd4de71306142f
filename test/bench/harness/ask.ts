/** A request of the benchmark. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response of the benchmark. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export async function send({ method, path, headers, body }: Ask, port: number): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

/** Serializes the request as HTTP/1.1. */
export function onTheWire({ method, path, headers, body }: Ask): string {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
