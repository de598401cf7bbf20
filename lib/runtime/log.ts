/**
 * Writes a defect or an outage to the function's log, with its causes, as one line of JSON.
 * @param requestId the gateway's id of the request, which its response carries too
 */
export function report(error: unknown, requestId: string): void {
  console.error(JSON.stringify({ level: 'ERROR', requestId, error: describe(error) }));
}

const describe = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.cause !== undefined && { cause: describe(error.cause) }),
      }
    : String(error);
