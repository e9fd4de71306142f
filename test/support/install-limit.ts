/** Bounds a hang only: to install some hundred packages, or to build an image, takes minutes, and half an hour on a busy machine. */
export const INSTALL_LIMIT_MS = 3_600_000;
