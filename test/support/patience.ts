import { jest } from '@jest/globals';

// These tests start and kill servers, and wait for them.
jest.setTimeout(480_000);
