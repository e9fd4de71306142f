export { SeedModule } from './seed.module.js';
