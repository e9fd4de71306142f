import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { SCOPES } from '../../src/auth/keys/scopes.js';
import { describeWhere } from '../support/describe-with.js';
import { service, sharePreparedApp } from '../support/folders.js';
import { hasVenv, PythonEnvironment } from '../support/python.js';
import { shareFolder } from '../support/share-folder.js';
import { fetchDocument } from './document.js';
import { INSTALL_LIMIT_MS } from '../support/install-limit.js';

const GENERATOR = 'openapi-python-client==0.29.1';

const folder = shareFolder();
sharePreparedApp();

describeWhere(hasVenv, 'python3 with venv')('a Python client that is generated from the document', () => {
  it(
    'is generated without a warning, and completes a scenario of calls',
    async () => {
      const python = await PythonEnvironment.make(folder, GENERATOR);
      writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await fetchDocument(service)));
      const options = ['--meta', 'none', '--output-path', 'petstore', '--fail-on-warning'];
      // It formats its output with the `ruff` that is installed with it.
      await python.run('openapi-python-client', ['generate', '--path', 'openapi.json', ...options]);
      copyFileSync(join(import.meta.dirname, 'client/story.py'), join(folder, 'story.py'));
      const key = await service.key({ plan: 'pro', scopes: SCOPES });
      const story = await python.run('python', ['story.py', `${service.origin}/v1`, key]);
      // As text, because the largest int64 is no exact number here.
      expect(story.replaceAll(' ', '')).toContain(
        '"some":[{"name":"Bella","categoryId":9223372036854775807,"id":1,"status":"available"},' +
          '{"name":"Luna","categoryId":1,"id":2,"status":"available"}]',
      );
      expect(JSON.parse(story)).toMatchObject({
        refused: { code: 'validation_failed', status: 400 },
        limit: '300',
        page: [2],
        renamed: 'Lunetta',
        replaces: true,
        stranger: true,
      });
    },
    INSTALL_LIMIT_MS,
  );
});
