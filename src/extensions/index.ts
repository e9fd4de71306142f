export { checkExtensions, type Extension, ExtensionError, refuseMethods } from './extension.js';
