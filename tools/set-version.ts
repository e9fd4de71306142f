import { readFileSync, writeFileSync } from 'node:fs';

/** Where the version is written besides package.json. `npm version` runs this when it has changed package.json. */
const COPIES = {
  'docker/Dockerfile': /(?<=image\.version=")[^"]+/,
  'docker/kubernetes/kustomization.yaml': /(?<=newTag: ).+/,
  'docs/operating.md': /(?<="status":"live","version":")[^"]+/,
  'docs/your-own-package.md': /(?<=petstore-service-)\d+\.\d+\.\d+(?=\.tgz)/g,
};

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
for (const [file, copy] of Object.entries(COPIES))
  writeFileSync(file, readFileSync(file, 'utf8').replace(copy, version));
