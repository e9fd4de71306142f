import { LastUsedTracker } from '../../src/auth/authentication/last-used-tracker.js';
import { maskApiKey } from '../../src/auth/keys/api-key-format.js';
import { UsageRecorder } from '../../src/rate-limit/history/usage-history.js';
import type { TestApp } from '../support/app.js';
import { ask } from '../support/http.js';
import { HOLDERS } from './holders.js';
import type { Step } from './step.js';

/** The parts of a response that must be identical on both databases. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Matches a key, its masked form and its id. */
const MADE_UP = /(key|psk_live|psk_test)_(?:[0-9A-Za-z]{36}|[0-9A-Za-z]{4}…[0-9A-Za-z]{4}|[0-9A-Za-z]{16})/g;

/** Matches the X-Request-Id that the service generates if it rejects the client's. */
const NEW_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const IMPORTED = new Set(Object.values(HOLDERS).flatMap(({ id, secret }) => [id, secret, maskApiKey(secret)]));

/** Strict decoding, so that different bytes never look the same. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * One of two services that receive the same requests. Replaces random values by placeholders, in order of appearance.
 */
export class Twin {
  private readonly names = new Map<string, string>();
  private etag = '';

  constructor(private readonly service: TestApp) {}

  async send({ path, key, headers = {}, body, method }: Step): Promise<Answer> {
    // The service normally writes these every few seconds. It keeps what it cannot write now.
    await this.service.app
      .get(LastUsedTracker)
      .flush()
      .catch(() => undefined);
    if (path.startsWith('/v1/usage/history')) await this.service.app.get(UsageRecorder).tryRun();
    const response = await ask(this.service.port, {
      path: this.fill(path),
      key: key === undefined ? undefined : this.fill(key),
      headers: { 'X-Request-Id': 'recorded', ...(JSON.parse(this.fill(JSON.stringify(headers))) as typeof headers) },
      body: typeof body === 'string' ? this.fill(body) : body,
      ...(method === undefined ? {} : { method }),
    });
    const text = utf8.decode(await response.arrayBuffer());
    this.etag = response.headers.get('etag') ?? this.etag;
    return {
      status: response.status,
      body: this.mask(text),
      headers: [...response.headers]
        .filter(([name]) => name !== 'date')
        .map(([name, value]) => {
          // An ETag depends only on the body, so it differs if the body contains random values.
          if (name === 'etag' && this.mask(text) !== text) return [name, '<etag>'];
          return [name, this.mask(name === 'x-request-id' ? value.replace(NEW_ID, '<new>') : value)];
        }),
    };
  }

  private fill(text: string): string {
    return text.replaceAll(/<([a-z_…]+(?: [0-9]+)?)>/g, (placeholder, name: string) => {
      if (name === 'etag') return this.etag.replaceAll('"', '');
      const made = [...this.names].find(([, given]) => given === placeholder)?.[0];
      return made ?? HOLDERS[name]?.secret ?? placeholder;
    });
  }

  private mask(text: string): string {
    return text.replaceAll(MADE_UP, (found, kind: string) => (IMPORTED.has(found) ? found : this.nameOf(found, kind)));
  }

  private nameOf(found: string, kind: string): string {
    const stem = `<${kind}${found.includes('…') ? '…' : ''} `;
    const count = [...this.names.values()].filter((name) => name.startsWith(stem)).length;
    const name = this.names.get(found) ?? `${stem}${count + 1}>`;
    this.names.set(found, name);
    return name;
  }
}
