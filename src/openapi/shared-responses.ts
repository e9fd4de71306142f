import { isDeepStrictEqual } from 'node:util';
import type { ReferenceObject, ResponseObject } from '@nestjs/swagger';

/** A response, and the name under which operations share it; without one they do not. */
export interface NamedResponse {
  readonly name?: string;
  readonly response: ResponseObject;
}

/** Responses that operations share, for the components of the document. */
export class SharedResponses {
  readonly byName: Record<string, ResponseObject> = {};

  /** A reference to a response under its name, or under the name with a number where another response has it. */
  refer({ name, response }: NamedResponse): ResponseObject | ReferenceObject {
    if (name === undefined) return response;
    let free = name;
    for (let n = 2; !isDeepStrictEqual(this.byName[free] ?? response, response); n += 1) free = `${name}${n}`;
    this.byName[free] = response;
    return { $ref: `#/components/responses/${free}` };
  }
}
