/** A time in milliseconds since 1970. Every number is accepted, except {@link EpochSeconds}. */
export type EpochMs = number & { readonly epoch?: 'milliseconds' };

/** A time in seconds since 1970. Every number is accepted, except {@link EpochMs}. */
export type EpochSeconds = number & { readonly epoch?: 'seconds' };
