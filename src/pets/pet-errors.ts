import { DomainError, notFound } from '../kernel.js';

export function petNotFound(petId?: string): DomainError {
  return notFound('pet_not_found', 'There is no pet', petId);
}

/** @param consequence such as `it cannot be removed` */
export function petInOrder(consequence: string): DomainError {
  return new DomainError('pet_in_order', `An open order reserves the pet, so ${consequence}.`);
}

/** @param cause the foreign key of an extension's table */
export function petReferredTo(cause?: unknown): DomainError {
  return new DomainError('conflict', 'Other records refer to the pet, so it cannot be removed.', { cause });
}

export function petNotAvailable(petId: string): DomainError {
  return new DomainError('pet_not_available', `The pet ${petId} is not available.`);
}

export function petNotReserved(petId: string): DomainError {
  return new DomainError(
    'invalid_status_transition',
    `The pet ${petId} is not reserved any more, so it cannot be sold.`,
  );
}

export function petSold(): DomainError {
  return new DomainError('invalid_status_transition', 'The pet is sold, which is final.');
}
