import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnTypes } from '../schema.js';

/** How far each subscription has read the log of events, and what it has still to handle. */
export class EventDeliveries1795280400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { int64, time, tableEnd } = columnTypes(runner);
    await runner.query(`
      CREATE TABLE "event_subscriptions" (
        "name" TEXT PRIMARY KEY NOT NULL,
        "place" ${int64} NOT NULL,
        "lease_owner" TEXT,
        "leased_until" ${time} NOT NULL DEFAULT 0
      ) ${tableEnd}`);
    await runner.query(`
      CREATE TABLE "event_deliveries" (
        "subscription" TEXT NOT NULL,
        "place" ${int64} NOT NULL,
        "subject" TEXT NOT NULL,
        "state" TEXT NOT NULL,
        "attempts" ${int64} NOT NULL,
        "due_at" ${time} NOT NULL,
        "error" TEXT,
        "at" ${time} NOT NULL,
        PRIMARY KEY ("subscription", "place")
      ) ${tableEnd}`);
    const index = (name: string, columns: string) =>
      runner.query(`CREATE INDEX "event_deliveries_${name}" ON "event_deliveries" (${columns})`);
    await index('state_due_at', '"state", "due_at"');
    await index('subscription_state_due_at', '"subscription", "state", "due_at", "place"');
    await index('subscription_state_subject', '"subscription", "state", "subject", "place"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "event_deliveries"');
    await runner.query('DROP TABLE "event_subscriptions"');
  }
}
