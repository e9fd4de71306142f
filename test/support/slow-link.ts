import { connect, createServer, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { listen } from './listen.js';

/** A network to a server of this machine whose packets take a while. */
export class SlowLink {
  /** The port of the near end. */
  address = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((near) => {
    const far = connect(this.port, '127.0.0.1');
    for (const socket of [near, far])
      this.sockets.add(socket.setNoDelay().on('close', () => this.sockets.delete(socket)));
    pipeline(near, this.delayed(), far, () => undefined);
    pipeline(far, this.delayed(), near, () => undefined);
  });

  private constructor(
    private readonly port: number,
    private readonly delayMs: number,
  ) {}

  /** @param delayMs how long each packet takes in one direction */
  static async to(port: number, delayMs: number): Promise<SlowLink> {
    const link = new SlowLink(port, delayMs);
    link.address = await listen(link.server);
    return link;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private delayed(): Transform {
    const { delayMs } = this;
    return new Transform({
      // One packet does not wait for the one before it.
      transform(packet, _encoding, next) {
        setTimeout(() => this.push(packet), delayMs);
        next();
      },
      flush(done) {
        setTimeout(done, delayMs);
      },
    });
  }
}
