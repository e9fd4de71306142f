/** Invalid extensions; `message` has one line for each fault. */
export class ExtensionError extends Error {}

/** @throws ExtensionError if there are faults */
export function refuseFaults(faults: readonly string[]): void {
  // An operation with several paths, or several ones with the same error, has a fault once.
  if (faults.length > 0) throw new ExtensionError(['The extensions are not valid:', ...new Set(faults)].join('\n  '));
}

/** Names each fault by the place of its extension. @throws ExtensionError if there are faults */
export function refuseFaultsOf<One>(
  extensions: readonly One[],
  faultsOf: (extension: One, index: number) => readonly string[],
): void {
  refuseFaults(
    extensions.flatMap((one, index) => faultsOf(one, index).map((fault) => `extensions[${index}] ${fault}`)),
  );
}
