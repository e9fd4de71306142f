/**
 * A time of day with its time zone, as people of this browser write it.
 * @param {number | string} time in Unix milliseconds, or RFC 3339
 */
export function localTime(time) {
  return new Date(time).toLocaleTimeString(undefined, { timeZoneName: 'short' });
}
