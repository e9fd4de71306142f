import { Module } from '@nestjs/common';
import { EventsModule } from 'petstore-service';
import { VetVisitsController } from './vet-visits.controller.js';
import { VetVisitsListener } from './vet-visits.listener.js';
import { VetVisitsNotifier } from './vet-visits.notifier.js';
import { VetVisitsService } from './vet-visits.service.js';

@Module({
  imports: [EventsModule],
  controllers: [VetVisitsController],
  providers: [VetVisitsService, VetVisitsListener, VetVisitsNotifier],
})
export class VetVisitsModule {}
