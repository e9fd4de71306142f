export { SelfServiceModule } from './self-service.module.js';
