import { Module, type ModuleMetadata } from '@nestjs/common';
import type { Extension } from '../../src/index.js';

/** An extension whose module needs no name. */
export function extensionOf(metadata: ModuleMetadata, more: Omit<Extension, 'module'> = {}): Extension {
  @Module(metadata)
  class TestModule {}
  return { module: TestModule, ...more };
}
