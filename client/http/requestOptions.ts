/** What every function takes that sends requests. The methods of the client take the same. */
export interface RequestOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long each request may take, in milliseconds. After that, the call throws a `TimeoutError`. By default 30,000. */
  readonly timeout?: number | undefined;
  /** Whether nobody waits for the answer: no sign-in is opened for it. */
  readonly background?: boolean | undefined;
}

/** Only these, as the methods of the client take them. */
export const requestOptions = ({ signal, timeout, background }: RequestOptions) => ({
  signal: signal ?? null,
  timeout,
  background,
});
