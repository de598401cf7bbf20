/** A time in milliseconds since 1970. Every number is accepted, except {@link EpochSeconds}. */
export type EpochMs = number & { readonly epoch?: 'milliseconds' };

/** A time in seconds since 1970. Every number is accepted, except {@link EpochMs}. */
export type EpochSeconds = number & { readonly epoch?: 'seconds' };

export const timeReason = 'must be a time such as 2026-11-24T10:00:00Z';

const timeForm =
  /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d:)([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** As RFC 3339 has it. A leap second ends a month in UTC, and counts as the next one. Undefined for 30 February. */
export function parseTime(text: string): EpochMs | undefined {
  const [, day = '', minute, second, fraction = '', offset] = timeForm.exec(text.toUpperCase()) ?? [];
  const midnight = Date.parse(day);
  // Without this check, 30 February would be 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  if (second !== '60') return Date.parse(`${day}T${minute}${second}${fraction}${offset}`);
  const after = Date.parse(`${day}T${minute}59${fraction}${offset}`) + 1_000;
  const isMonthsFirst = /-01T00:00:00/.test(new Date(after).toISOString());
  return isMonthsFirst ? after : undefined;
}
