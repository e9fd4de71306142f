export { serveExplorer } from './explorer.js';
