/** The catalogue of the first start. */
export const SAMPLE_PETS = [
  { name: 'Bella', categoryId: 1, status: 'available' },
  { name: 'Milo', categoryId: 2, status: 'available' },
  { name: 'Luna', categoryId: 1, status: 'pending' },
  { name: 'Oscar', categoryId: 3, status: 'sold' },
  { name: 'Nala', categoryId: 2 },
] as const;
