export * from './deprecation.interceptor.js';
