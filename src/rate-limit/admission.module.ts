import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/index.js';
import { Admission } from './admission.js';
import { RateLimitModule } from './rate-limit.module.js';

/** Admission, which knows callers and counters. */
@Module({ imports: [AuthModule, RateLimitModule], providers: [Admission], exports: [Admission] })
export class AdmissionModule {}
