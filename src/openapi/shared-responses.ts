import { isDeepStrictEqual } from 'node:util';
import type { ReferenceObject, ResponseObject } from '@nestjs/swagger';
import type { LivingOperation } from './finished-operation.js';

/** A response, and the name under which operations share it; without one they do not. */
export interface NamedResponse {
  readonly name?: string;
  readonly response: ResponseObject;
}

/** Responses that operations share, for the components of the document. */
export class SharedResponses {
  private readonly byName: Record<string, ResponseObject> = {};
  private readonly uses = new Map<string, number>();

  /** A reference to a response under its name, or under the name with a number where another response has it. */
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
   * Puts a response that one operation alone refers to back into that operation.
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
