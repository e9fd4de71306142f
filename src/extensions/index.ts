export { checkExtensions, type Extension, ExtensionError } from './extension.js';
