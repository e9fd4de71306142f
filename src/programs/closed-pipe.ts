/**
 * Lets a program end in silence when the reader of its output, such as `head`, has read enough, and with 1 when its output
 * cannot be written, such as to a full disk.
 */
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  process.stderr.write(`The output cannot be written: ${message}. The command may have taken effect.\n`);
  process.exit(1);
});
