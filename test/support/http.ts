import { Agent, request } from 'node:http';

export interface Ask {
  readonly method?: string;
  /** Sent unchanged. fetch would normalize it. */
  readonly path: string;
  readonly key?: string | undefined;
  /** An array sends the header once for each value. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | undefined;
}

/** Sends a request with an unmodified target and headers, for requests that fetch would reject or normalize. */
export function ask(
  port: number,
  { method = 'GET', path, key, headers = {}, body }: Ask,
  agent?: Agent,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    const length: Record<string, number> = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(
      { port, host: '127.0.0.1', method, path, headers: { ...authorization, ...length, ...headers }, agent },
      (message) => {
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        message.on('error', reject);
        message.on('end', () => {
          const { statusCode = 0, statusMessage = '' } = message;
          const init = { status: statusCode, statusText: statusMessage, headers: pairs(message.rawHeaders) };
          const bytes = new Uint8Array(Buffer.concat(chunks));
          resolve(new Response(bytes.length === 0 ? null : bytes, init));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Runs all tasks, at most `width` at a time. Returns the results in the order of the tasks. */
export async function concurrently<T>(tasks: readonly (() => Promise<T>)[], width: number): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task !== undefined) results[index] = await task();
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** Groups Node's flat list of alternating names and values into pairs. */
function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}
