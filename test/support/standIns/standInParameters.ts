import { onTestFinished, vi } from 'vitest';
import { answering } from './answering.ts';

/** Parameters by name, in a stand-in for AWS that the SDK calls for the duration of a test. */
export async function startParameters(parameters: Record<string, string>) {
  const requests: unknown[] = [];
  const url = await answering(async (request, response) => {
    const { Name, Value, ...options } = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
    requests.push({ action: request.headers['x-amz-target'], Name, ...options });
    if (Value !== undefined) parameters[Name] = Value;
    const found = parameters[Name];
    if (found !== undefined) return response.end(JSON.stringify({ Parameter: { Name, Value: found } }));
    return response.writeHead(400).end(JSON.stringify({ __type: 'ParameterNotFound', message: null }));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', url);
  const signing = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries(signing)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return requests;
}
