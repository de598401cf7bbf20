/** Calls a callback of the page. Reports what it throws (`reportError`), because that is no failure of the caller's work. */
export function notify<Args extends readonly unknown[]>(
  callback: ((...args: Args) => void) | undefined,
  ...args: Args
) {
  const { reportError = console.error } = globalThis as { reportError?: (error: unknown) => void };
  try {
    callback?.(...args);
  } catch (error) {
    reportError(error);
  }
}
