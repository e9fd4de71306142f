import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { run } from './run.js';

/** Debian has the module that `venv` needs to install pip in a package of its own. */
export const hasVenv = spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;

/** A virtual environment of Python in a folder. */
export class PythonEnvironment {
  private readonly bin: string;

  private constructor(private readonly folder: string) {
    this.bin = join(folder, 'venv/bin');
  }

  static async make(folder: string, ...packages: string[]): Promise<PythonEnvironment> {
    const made = new PythonEnvironment(folder);
    await made.run('python3', ['-m', 'venv', 'venv']);
    // Python compiles what it runs; most modules of a package it never does.
    await made.run('pip', ['install', '--quiet', '--disable-pip-version-check', '--no-compile', ...packages]);
    return made;
  }

  /** Runs a program in the folder, of the environment if it is there. */
  run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = [this.bin, process.env['PATH']].join(delimiter);
    return run(program, args, { cwd: this.folder, env: { ...process.env, ...env, PATH: path } });
  }
}
