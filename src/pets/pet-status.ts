/** Availability of a pet (specification, section 2: PetStatus). */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** PetStatus as fields and parameters declare it. */
export const PET_STATUS = { name: 'PetStatus', values: PET_STATUSES, meaning: 'Availability of an animal.' } as const;
