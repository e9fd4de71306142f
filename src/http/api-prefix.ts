/** Path prefix of the versioned API (specification, section 9). */
export const API_PREFIX = '/v1';
