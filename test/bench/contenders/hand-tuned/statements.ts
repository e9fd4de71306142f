export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  /** The response omits it when undefined. */
  readonly status: string | undefined;
}

export type NewPet = Omit<Pet, 'id' | 'status'> & { readonly status?: string };
export type PetRow = Omit<Pet, 'status'> & { readonly status: string | null };

/** Queries on the catalogue. They return synchronously if the database runs in this process. */
export interface PetStatements {
  list(status: string | undefined, after: number, limit: number): Pet[] | Promise<Pet[]>;
  get(id: number): Pet | undefined | Promise<Pet | undefined>;
  /** Returns the identifier of the new pet after the write is durable. */
  create(pet: NewPet): number | Promise<number>;
}

export const SELECT_PETS = 'SELECT id, name, category_id AS "categoryId", status FROM pets';
export const INSERT_PET = 'INSERT INTO pets (name, category_id, status) VALUES';

export function toPet({ id, name, categoryId, status }: PetRow): Pet {
  return { id, name, categoryId, status: status ?? undefined };
}
