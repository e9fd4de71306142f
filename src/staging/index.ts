export { RehearsalInterceptor } from './rehearsal.interceptor.js';
