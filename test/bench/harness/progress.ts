/** Prints progress to standard error, because standard output holds the results. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
