export { compress } from './compress.js';
export { SharedFile } from './shared-file.js';
