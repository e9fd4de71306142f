import { chooseCompilers } from './compilers.js';
import { boundOldGeneration } from './old-generation.js';
import { keepTickShape } from './tick-shape.js';
import { sizeYoungGeneration } from './young-generation.js';

/** To be called before anything else is loaded: compiled code is valid under the settings that this makes, and no others. */
export function prepareV8(): void {
  keepTickShape();
  sizeYoungGeneration();
}

/** To be called once the service has started, which needs other settings than requests do. */
export function settleV8(): void {
  chooseCompilers();
  boundOldGeneration();
}
