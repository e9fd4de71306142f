import { type Ask, JSON_TYPE } from '../support/http.js';

/**
 * A request of the recording. Its key, path, headers and body can contain placeholders: `<ample>` and similar for the
 * secrets of HOLDERS, `<key 1>` and `<psk_live 1>` for values that the service generated, in order of appearance, and
 * `<etag>` for the last ETag.
 */
export interface Step extends Ask {
  /** Advances the clock by this many seconds, or sets it, before the request. */
  readonly waitSeconds?: number;
  readonly at?: string;
}

export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
}

type More = Partial<Step>;

export const get = (path: string, more: More = {}): Step => ({ path, key: '<ample>', ...more });
export const post = (path: string, body: string | Buffer, more: More = {}): Step => withBody('POST', path, body, more);
export const patch = (path: string, body: string | Buffer, more: More = {}): Step =>
  withBody('PATCH', path, body, more);
export const remove = (path: string, more: More = {}): Step => ({ method: 'DELETE', path, key: '<ample>', ...more });

function withBody(method: string, path: string, body: string | Buffer, { headers = {}, ...more }: More): Step {
  return { method, path, key: '<ample>', headers: { ...JSON_TYPE, ...headers }, body, ...more };
}
