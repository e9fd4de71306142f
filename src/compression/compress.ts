import type { FastifyReply } from 'fastify';
import { addToListHeader } from '../http/index.js';
import type { ContentCoding, Representation, SharedFile } from './shared-file.js';

/** Returns the representation of a file that the client accepts, and sets Content-Type, Content-Encoding and Vary. */
export async function compress(reply: FastifyReply, file: SharedFile): Promise<Representation> {
  const representation = await file.in(negotiateCoding(reply.request.headers['accept-encoding']));
  reply.type(file.contentType);
  if (file.isCompressible) addToListHeader(reply, 'vary', 'Accept-Encoding');
  if (representation.coding !== 'identity') reply.header('content-encoding', representation.coding);
  return representation;
}

/** The best coding that an Accept-Encoding field allows (RFC 9110, section 12.5.3). */
export function negotiateCoding(acceptEncoding: string | undefined): ContentCoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', weight = 'q=1'] = item.split(';').map((part) => part.trim());
    weights.set(coding, Number(weight.replace(/^q=/, '')));
  }
  const anyWeight = weights.get('*') ?? 0;
  return (['br', 'gzip'] as const).find((coding) => (weights.get(coding) ?? anyWeight) > 0) ?? 'identity';
}
