export { KeyManagementModule } from './key-management.module.js';
