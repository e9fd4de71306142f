import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { runProgram } from '../support/service-process.js';

const PRETEND = encodeURIComponent('Object.defineProperty(process.versions, "node", { value: "20.19.0" })');

it.each(['main.js', 'keys.cli.js', 'migrate.cli.js', 'backup.cli.js'])(
  '%s says in a sentence that it needs a newer Node, and exits with 1',
  async (program) => {
    const env = { NODE_OPTIONS: `--import data:text/javascript,${PRETEND}` };
    expect(await runProgram(program, [], { folder: tmpdir(), env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'petstore-service needs Node 24.15 or later, and this is Node 20.19.0.\n',
    });
  },
);
