import { Initial1795219200000 } from './1795219200000-initial.js';

/** The service's migrations, oldest first. */
export const MIGRATIONS = [Initial1795219200000];
