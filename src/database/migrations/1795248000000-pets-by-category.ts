import { IndexMigration } from '../schema.js';

/** For pages of the pets of one category, with a status or without. */
export class PetsByCategory1795248000000 extends IndexMigration {
  override readonly indexes = {
    pets_category_id_id: '"pets" ("category_id", "id")',
    pets_category_id_status_id: '"pets" ("category_id", "status", "id")',
  };
}
