/** Calls what the page has given. What it throws is for the page's console and its reports, and no failure of ours. */
export function tell<Told extends readonly unknown[]>(listener: ((...told: Told) => void) | undefined, ...told: Told) {
  const { reportError = console.error } = globalThis as { reportError?: (error: unknown) => void };
  try {
    listener?.(...told);
  } catch (error) {
    reportError(error);
  }
}
