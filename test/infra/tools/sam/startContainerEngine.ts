import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../program.ts';

const dockerDesktop = { Platform: { Name: 'Docker Desktop 4.40.0 (187762)' }, Components: [{ Name: 'Engine' }] };
const network = { Name: 'bridge', IPAM: { Config: [{ Subnet: '192.0.2.0/24', Gateway: '192.0.2.1' }] } };

/**
 * What answers as a container engine for the duration of a test, Docker Desktop unless told otherwise.
 * @param answers by path; an answer that is undefined is 404
 */
export async function startContainerEngine(answers: Readonly<Record<string, object | undefined>> = {}) {
  const all = new Map(Object.entries({ '/version': dockerDesktop, '/networks/bridge': network, ...answers }));
  const server = createServer(({ url = '' }, response) => {
    const answer = all.get(url);
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? { message: 'not found' }));
  });
  const socket = join(temporaryFolder(), 'engine.sock');
  await once(server.listen(socket), 'listening');
  onTestFinished(() => void server.close());
  return { address: `unix://${socket}` };
}
