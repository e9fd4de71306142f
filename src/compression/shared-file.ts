import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { etagOf } from '../conditional-requests/index.js';

/** Level 11 makes Swagger UI's script a tenth smaller but takes a hundred times as long, 11 s. */
const BROTLI_QUALITY = 5;

/** `identity` means uncompressed. */
export type ContentCoding = 'br' | 'gzip' | 'identity';

/** A file as it is sent. */
export interface Representation {
  readonly coding: ContentCoding;
  readonly body: Buffer;
  /** Strong, so it differs between codings. */
  readonly etag: string;
}

/**
 * A file that is the same for all clients. It is compressed once per coding, outside the event loop, and shared by all
 * responses, so that a client that does not read its response holds no copy.
 */
export class SharedFile {
  private readonly representations = new Map<ContentCoding, Promise<Representation>>();

  /** @param contentType images are compressed already and are served as they are */
  constructor(
    readonly contentType: string,
    private readonly content: Buffer,
  ) {}

  /** Whether it has compressed representations; images other than SVG are compressed already. */
  get isCompressible(): boolean {
    return !/^image\/(?!svg)/.test(this.contentType);
  }

  /** Always the same object. */
  in(accepted: ContentCoding): Promise<Representation> {
    const coding = this.isCompressible ? accepted : 'identity';
    let representation = this.representations.get(coding);
    if (representation === undefined) {
      representation = encode(this.content, coding).then((body) => ({ coding, body, etag: etagOf(body) }));
      this.representations.set(coding, representation);
    }
    return representation;
  }
}

async function encode(content: Buffer, coding: ContentCoding): Promise<Buffer> {
  switch (coding) {
    case 'br':
      return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
    case 'gzip':
      return promisify(gzip)(content);
    case 'identity':
      return content;
  }
}
