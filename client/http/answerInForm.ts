import type { Refusal } from './answer.ts';

/** Turns answers that are not in the API's form, such as a proxy's, a firewall's or a cache's, into errors that are. */
export async function answerInForm({ method }: Request, response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (method === 'HEAD') return response;
  const text = await response.text();
  if (isInForm(text, ok)) return new Response(text, { status, headers });
  // Browsers hide the status of a redirect. An answer of 304 may have no body.
  const known = response.type === 'opaqueredirect' ? 302 : status;
  const failed = ok || status === 304 ? 502 : known;
  const error = { code: 'UNEXPECTED_RESPONSE', message: `The request failed with status ${failed}.` };
  const retryAfter = headers.get('retry-after') ?? '';
  return Response.json({ error } satisfies Refusal, { status: failed, headers: { 'retry-after': retryAfter } });
}

function isInForm(text: string, ok: boolean): boolean {
  try {
    const { data, error } = JSON.parse(text);
    if (ok) return typeof data === 'object' && data !== null;
    const { code, message, fields = [] } = error;
    return typeof code === 'string' && typeof message === 'string' && Array.isArray(fields);
  } catch {
    return false;
  }
}
