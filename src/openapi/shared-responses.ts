import { isDeepStrictEqual } from 'node:util';
import type { ReferenceObject, ResponseObject } from '@nestjs/swagger';
import type { LivingOperation } from './finished-operation.js';

/** A response, and its name if operations share it. */
export interface NamedResponse {
  readonly name?: string;
  readonly response: ResponseObject;
}

/** Responses that operations share, for the components of the document. */
export class SharedResponses {
  private readonly byName: Record<string, ResponseObject> = {};
  private readonly uses = new Map<string, number>();

  /** A reference to a response by its name; with a number if another response has that name. */
  refer({ name, response }: NamedResponse): ResponseObject | ReferenceObject {
    if (name === undefined) return response;
    let free = name;
    for (let n = 2; !isDeepStrictEqual(this.byName[free] ?? response, response); n += 1) free = `${name}${n}`;
    this.byName[free] = response;
    const $ref = `#/components/responses/${free}`;
    this.uses.set($ref, (this.uses.get($ref) ?? 0) + 1);
    return { $ref };
  }

  /**
   * Moves a response that only one operation refers to back into that operation.
   * @returns the components: the responses that several operations have
   */
  share(operations: readonly LivingOperation[]): Record<string, ResponseObject> {
    const { byName } = this;
    for (const { responses } of operations)
      for (const [status, response] of Object.entries(responses)) {
        if (response === undefined || !('$ref' in response) || this.uses.get(response.$ref) !== 1) continue;
        const name = response.$ref.split('/').at(-1) ?? '';
        responses[status] = byName[name];
        delete byName[name];
      }
    return byName;
  }
}
