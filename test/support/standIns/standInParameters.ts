import { vi } from 'vitest';
import { answering } from './answering.ts';

/** When each parameter was last changed, in milliseconds since 1970. */
export const putAt = Date.parse('2026-11-20T10:00:00Z');

/** Parameters by name, in a stand-in for AWS that the SDK calls for the duration of a test. */
export async function startParameters(parameters: Record<string, string>) {
  const requests: unknown[] = [];
  const url = await answering(async (request, response) => {
    const { Name, Value, ...options } = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
    requests.push({ action: request.headers['x-amz-target'], Name, ...options });
    if (Value !== undefined) parameters[Name] = Value;
    const found = parameters[Name];
    const Parameter = { Name, Value: found, LastModifiedDate: putAt / 1_000 };
    if (found !== undefined) return response.end(JSON.stringify({ Parameter }));
    return response.writeHead(400).end(JSON.stringify({ __type: 'ParameterNotFound', message: null }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', url);
  const signing = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries(signing)) vi.stubEnv(name, value);
  return requests;
}
