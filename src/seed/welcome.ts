/**
 * The message of the first start, with everything for the first call.
 * @param origin address of the service without a path
 * @param key shown here only
 */
export function welcome(origin: string, key: string): string {
  return `
The pet store is ready, with sample pets and an API key on the Pro plan.
The key is shown only once:

  ${key}

Explore the API at ${origin}/docs, or call it:

  curl -H "Authorization: Bearer ${key}" ${origin}/v1/pets

`;
}
