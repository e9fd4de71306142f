import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';

/** Has the same name and methods as the interceptor of `@nestjs/cache-manager`. */
export class CacheInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle();
  }

  trackBy(context: ExecutionContext): string | undefined {
    return context.switchToHttp().getRequest<{ url: string }>().url;
  }
}
