import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const responses = new WeakMap<Socket, ServerResponse>();
const closing = new WeakSet<Socket>();

/** The response that a connection waits for. */
export function responseInProgress(socket: Socket): ServerResponse | undefined {
  const response = responses.get(socket);
  // Node takes the socket from a response that is finished.
  return response?.socket === socket ? response : undefined;
}

/**
 * Handles one request of a connection at a time. If the client pipelines another one (RFC 9112, section 9.3.2), that one is
 * not handled, and the connection closes after the response in progress.
 */
export function handleOneAtATime(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    // Node assigns the socket to one response after the other.
    if (response.socket === null || closing.has(socket)) {
      closeAfterResponse(socket);
    } else {
      responses.set(socket, response);
      handle(request, response);
    }
  };
}

/** Closes a connection that sent CONNECT, after the response in progress. */
export function refuseTunnel(socket: Socket): void {
  // Node takes its own listener off, and an error without one would end the process.
  socket.on('error', () => socket.destroy());
  if (responseInProgress(socket) === undefined) socket.destroy();
  else closeAfterResponse(socket);
}

/** Stops reading from a connection, and closes it after the response in progress. */
export function closeAfterResponse(socket: Socket): void {
  const response = responseInProgress(socket);
  if (response === undefined || closing.has(socket)) return;
  closing.add(socket);
  if (response.headersSent) response.once('finish', () => socket.destroySoon());
  else response.shouldKeepAlive = false;
  // Deferred, because Node resumes the socket after each request.
  setImmediate(() => socket.pause());
}
