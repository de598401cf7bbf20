/** How the page writes counts, times and values. */

export const counted = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** In the user's time zone, with its name. */
export const localTime = (time: string | Date) =>
  new Date(time).toLocaleString(undefined, {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  });

export function quoted(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'nothing' : '…';
  return Array.isArray(value) && value.length === 2 ? value.join(' ') : JSON.stringify(value);
}
