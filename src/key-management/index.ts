export { KeyManagementModule } from './key-management.module.js';
export { AccountKeysService } from './account-keys.service.js';
