/** Ends a program that takes no arguments if there are some, with 2. */
export function refuseArguments(program: string): void {
  if (process.argv.length <= 2) return;
  process.stderr.write(`${program} takes no arguments. Environment variables set it up: see docs/configuration.md.\n`);
  process.exit(2);
}
