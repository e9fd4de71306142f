import type { FastifyInstance } from 'fastify';
import findMyWay from 'find-my-way';
import { hasEmptyParam } from '../requests/request.js';

/** As long as the headers may be, so that the router refuses no path segment before admission. */
export const MAX_PARAM_LENGTH = 65_536;

/** The paths of all routes, whatever their methods. Fastify itself finds a path only together with a method. */
export class RoutedPaths {
  private readonly methodsByTemplate = new Map<string, Set<string>>();
  private readonly router = findMyWay({ maxParamLength: MAX_PARAM_LENGTH });

  constructor(server: FastifyInstance) {
    server.addHook('onRoute', ({ url, method }) => {
      const methods = this.methodsByTemplate.get(url) ?? this.add(url);
      for (const one of [method].flat()) methods.add(one);
    });
  }

  /** Such as `/v1/pets/:petId`. */
  get templates(): Iterable<string> {
    return this.methodsByTemplate.keys();
  }

  /** The methods of a path; undefined if no route has it. */
  methodsOf(path: string): ReadonlySet<string> | undefined {
    const found = this.router.find('GET', path);
    return found === null || hasEmptyParam(found.params) ? undefined : (found.store as Set<string>);
  }

  private add(template: string): Set<string> {
    const methods = new Set<string>();
    this.methodsByTemplate.set(template, methods);
    this.router.on('GET', template, () => undefined, methods);
    return methods;
  }
}
