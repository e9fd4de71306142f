/** Ends a program that takes no arguments if there are some, with 2. */
export function refuseArguments(program: string): void {
  if (process.argv.length <= 2) return;
  process.stderr.write(
    `${program} takes no arguments. Configure it with environment variables: see docs/configuration.md.\n`,
  );
  process.exit(2);
}

const exit = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);

/**
 * Ends the process on a signal, as it does by itself unless it is the first of a container, which ignores signals without a
 * listener.
 * @returns leaves signals to others
 */
export function exitOnSignals(): () => void {
  process.once('SIGTERM', exit).once('SIGINT', exit);
  return () => process.off('SIGTERM', exit).off('SIGINT', exit);
}

/**
 * Ends the process in silence when the reader of its output, such as `head`, has read enough, and with 1 when its output cannot
 * be written, such as to a full disk.
 */
export function exitWithReader(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    process.stderr.write(`The output cannot be written: ${message}. The command may have taken effect.\n`);
    process.exit(1);
  });
}
