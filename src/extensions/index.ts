export { checkExtensions, type Extension, ExtensionError } from './extension.js';
export { refuseMethods } from './refused-methods.js';
