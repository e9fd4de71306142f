import type { FastifyReply } from 'fastify';
import { addToListHeader } from '../http/index.js';
import { negotiateCoding } from './content-coding.js';
import type { Representation, SharedFile } from './shared-file.js';

/** Returns the representation of a file that the client accepts, and sets Content-Type, Content-Encoding and Vary. */
export async function compress(reply: FastifyReply, file: SharedFile): Promise<Representation> {
  const representation = await file.in(negotiateCoding(reply.request.headers['accept-encoding']));
  reply.type(file.contentType);
  if (file.isCompressible) addToListHeader(reply, 'vary', 'Accept-Encoding');
  if (representation.coding !== 'identity') reply.header('content-encoding', representation.coding);
  return representation;
}
