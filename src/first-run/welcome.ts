/**
 * What a newcomer needs for the first call.
 * @param origin address of the service without a path
 * @param key shown here and never again
 */
export function welcome(origin: string, key: string): string {
  return `
The pet store is ready, with a few sample pets and one API key on the Pro plan.
The key is shown this once:

  ${key}

Explore the API at ${origin}/docs, or call it:

  curl -H "Authorization: Bearer ${key}" ${origin}/v1/pets

`;
}
