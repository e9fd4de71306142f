import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { etagOf } from './conditional-requests/entity-tags.js';
import { addToListHeader } from './addresses.js';

/** Level 11 makes Swagger UI's script a tenth smaller but takes a hundred times as long, 11 s. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** The best first. `identity` means uncompressed. */
const ENCODERS = {
  br: (content: Buffer): Promise<Buffer> => promisify(brotliCompress)(content, BROTLI),
  gzip: (content: Buffer): Promise<Buffer> => promisify(gzip)(content),
  identity: (content: Buffer): Promise<Buffer> => Promise.resolve(content),
};

type ContentCoding = keyof typeof ENCODERS;

/**
 * A file that is the same for all clients. It is compressed once per coding, outside the event loop, and shared by all
 * responses, so that a client that does not read its response holds no copy.
 */
export class CompressedFile {
  private readonly bodies = new Map<ContentCoding, Promise<{ readonly body: Buffer; readonly etag: string }>>();

  /** @param contentType images other than SVG are compressed already, and sent as they are */
  constructor(
    private readonly contentType: string,
    private readonly content: Buffer,
  ) {}

  /**
   * Sets Content-Type, Content-Encoding and Vary.
   * @returns the body that the client accepts, and its strong ETag, which differs between codings
   */
  async negotiate(reply: FastifyReply): Promise<{ readonly body: Buffer; readonly etag: string }> {
    reply.type(this.contentType);
    if (/^image\/(?!svg)/.test(this.contentType)) return this.encode('identity');
    addToListHeader(reply, 'vary', 'Accept-Encoding');
    const coding = negotiateCoding(reply.request.headers['accept-encoding']);
    const encoded = await this.encode(coding);
    if (coding !== 'identity') reply.header('content-encoding', coding);
    return encoded;
  }

  private encode(coding: ContentCoding): Promise<{ readonly body: Buffer; readonly etag: string }> {
    const encoded =
      this.bodies.get(coding) ?? ENCODERS[coding](this.content).then((body) => ({ body, etag: etagOf(body) }));
    this.bodies.set(coding, encoded);
    return encoded;
  }
}

/** The best coding that an Accept-Encoding field allows (RFC 9110, section 12.5.3). */
export function negotiateCoding(acceptEncoding = ''): ContentCoding {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', weight = 'q=1'] = item.split(';').map((part) => part.trim());
    weights.set(coding, Number(weight.replace(/^q=/, '')));
  }
  const anyWeight = weights.get('*') ?? 0;
  return (['br', 'gzip'] as const).find((coding) => (weights.get(coding) ?? anyWeight) > 0) ?? 'identity';
}
