/* Entry points import it first, because modules of the service fail on an old Node while they are loaded. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`petstore-service needs Node 24.15 or later, and this is Node ${process.versions.node}.\n`);
  process.exit(1);
}

/** Ends a program that takes no arguments if there are some, with 2. */
export function refuseArguments(program: string): void {
  if (process.argv.length <= 2) return;
  process.stderr.write(`${program} takes no arguments. Environment variables set it up: see docs/configuration.md.\n`);
  process.exit(2);
}

const leave = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);

/**
 * Ends the process on a signal, as it does by itself unless it is the first of a container, which ignores signals without a
 * listener.
 * @returns leaves signals to others
 */
export function leaveOnSignals(): () => void {
  process.once('SIGTERM', leave).once('SIGINT', leave);
  return () => process.off('SIGTERM', leave).off('SIGINT', leave);
}
