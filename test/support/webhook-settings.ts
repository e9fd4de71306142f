export const WEBHOOK_KEY = 'a key of at least 32 characters, of a test';

/** Settings that let a service post to a receiver of this machine. */
export function webhookSettings(port: number) {
  return { WEBHOOK_KEY, WEBHOOK_ALLOW: `127.0.0.0/8,http,${port}` };
}
