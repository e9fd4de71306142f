import { Injectable, Logger } from '@nestjs/common';

/** Where another service would be called, with the id of the event as the idempotency key. */
@Injectable()
export class VetVisitsNotifier {
  private readonly logger = new Logger('Vet visits');

  async notify(id: string, message: string): Promise<void> {
    this.logger.log({ message, id });
  }
}
