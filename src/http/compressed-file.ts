import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { etagOf } from './conditional-requests/entity-tags.js';
import { addToListHeader } from './addresses.js';

/** `gzip` in Accept-Encoding, without the weight zero (RFC 9110, section 12.5.3). */
const ACCEPTS_GZIP = /(?:^|,)[ \t]*gzip[ \t]*(?!;[ \t]*q=0(?:\.0*)?[ \t]*(?:,|$))(?:[;,]|$)/i;

type Representation = ReturnType<typeof representation>;

/** A file for all clients, compressed once and shared, so that a client that does not read its response holds no copy. */
export class CompressedFile {
  private readonly plain: Representation;
  private compressed: Promise<Representation> | undefined;

  constructor(
    private readonly contentType: string,
    content: Buffer,
  ) {
    this.plain = representation(content);
  }

  /** Sets Content-Type, Content-Encoding and Vary, and returns what the client accepts, with its own ETag. */
  async negotiate(reply: FastifyReply): Promise<Representation> {
    addToListHeader(reply.type(this.contentType), 'vary', 'Accept-Encoding');
    if (!ACCEPTS_GZIP.test(reply.request.headers['accept-encoding'] ?? '')) return this.plain;
    reply.header('content-encoding', 'gzip');
    this.compressed ??= promisify(gzip)(this.plain.body).then(representation);
    return this.compressed;
  }
}

function representation(body: Buffer) {
  return { body, etag: etagOf(body) };
}
