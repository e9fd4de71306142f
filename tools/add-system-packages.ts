import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/*
 * Adds Node and the packages of Debian, which the image has from its base, to a bill of materials (CycloneDX). Part of the
 * build of the image.
 */

interface Bill {
  components: object[];
}

function component(type: 'application' | 'library', name: string, version: string, purl: string): object {
  return { type, name, version, purl, 'bom-ref': purl };
}

const [file = 'sbom.json'] = process.argv.slice(2);
const bill = JSON.parse(readFileSync(file, 'utf8')) as Bill;
const { node } = process.versions;
const [, suite = ''] = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
const installed = execFileSync('dpkg-query', ['--show', '--showformat', '${Package} ${Version} ${Architecture}\n'], {
  encoding: 'utf8',
});
bill.components.push(
  component('application', 'node', node, `pkg:generic/node@${node}`),
  ...installed
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = '', arch = ''] = line.split(' ');
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=${suite}`;
      return component('library', name, version, purl);
    }),
);
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
