import type { Change } from '../events/index.js';
import type { KeyListing } from './key-listing.js';

/** The events of API keys. */
export interface KeyEvents {
  /** Also raised for the successor of a rotated key. */
  'key.created': Change<undefined, KeyListing>;
  'key.revoked': Change<KeyListing, KeyListing>;
}

declare module '../events/domain-event.js' {
  interface EventMap extends KeyEvents {}
}
