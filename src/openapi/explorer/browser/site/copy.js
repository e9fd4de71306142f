/** How long a button says what came of it. */
export const COPIED_MS = 2_000;

/**
 * A page over HTTP cannot copy, except on this machine.
 * @param {string} text
 * @returns {Promise<string>} what a button says then
 */
export async function copy(text) {
  const isCopied = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
    () => true,
    () => false,
  );
  return isCopied ? 'Copied' : 'Select the text to copy it';
}
