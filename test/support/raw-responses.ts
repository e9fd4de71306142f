/** One response as received over the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Splits the bytes of a connection into responses. Throws on bytes that are not a response. */
export function rawResponses(bytes: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = bytes; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1];
    if (end === -1 || status === undefined)
      throw new Error(`This is no response: ${JSON.stringify(rest.slice(0, 200))}`);
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = Number(headers.get('content-length') ?? 0);
    responses.push({ status: Number(status), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}
