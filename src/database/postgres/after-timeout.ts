/**
 * Calls `act` after a timeout. If the event loop was late, data may wait on the sockets; it is read between the timer and
 * `act`, which can then still be cancelled.
 * @returns a function that cancels it
 */
export function afterTimeout(timeoutMs: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (immediate = setImmediate(act)), timeoutMs).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
