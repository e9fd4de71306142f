/** Lets a program end in silence when the reader of its output, such as `head`, has read enough. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
