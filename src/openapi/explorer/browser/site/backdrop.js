/**
 * Closes a dialog with a click on its backdrop, which has the dialog as its target, as its padding would. Text that is
 * selected can end there, so the click must also begin there.
 * @param {HTMLDialogElement} dialog without padding
 */
export function closeByBackdrop(dialog) {
  let isPressed = false;
  dialog.addEventListener('pointerdown', ({ target }) => {
    isPressed = target === dialog;
  });
  dialog.addEventListener('click', ({ target }) => {
    if (isPressed && target === dialog) dialog.close();
  });
}
