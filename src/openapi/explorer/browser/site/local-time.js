/**
 * A time with its time zone, as people of this browser write it: with seconds unless it is a full minute, and with the day
 * unless it is today.
 * @param {number | string} time in Unix milliseconds, or RFC 3339
 */
export function localTime(time) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, {
    ...(!isToday && { month: 'long', day: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    ...(date.getSeconds() !== 0 && { second: '2-digit' }),
    timeZoneName: 'short',
  });
}

/** @param {string} date `YYYY-MM-DD` */
export function localDate(date) {
  return new Date(date).toLocaleDateString(undefined, { dateStyle: 'long', timeZone: 'UTC' });
}
