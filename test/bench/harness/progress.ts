/** Tells what is going on, apart from the results on standard output. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
