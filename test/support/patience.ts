import { jest } from '@jest/globals';

// Servers are started, killed and waited for.
jest.setTimeout(120_000);
