import { once } from 'node:events';
import { connect } from 'node:net';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import { invokeInProcess, type LocalContext, type LocalHandler } from '../../../local/functions/invoke.ts';
import { startGateway } from '../../../local/gateway/startGateway.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { sampleResources, sampleTemplate } from '../template/sampleTemplate.ts';

type Work = (event: APIGatewayProxyEvent, context: LocalContext) => unknown;
type Guard = (event: APIGatewayRequestAuthorizerEvent) => unknown;

export const allowAll = {
  principalId: 'user',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' }],
  },
};

interface Parts {
  readonly work?: Work;
  readonly guard?: Guard;
}

export async function sampleGateway({ work = () => ({ statusCode: 200 }), guard = () => allowAll }: Parts = {}) {
  const { api } = readDeployment(sampleTemplate(sampleResources), 'local-table');
  const handlers = new Map([
    ['work', work as LocalHandler],
    ['slow', work as LocalHandler],
    ['guard', guard as LocalHandler],
  ]);
  const { url, close } = await startGateway(api, invokeInProcess(handlers), 0);
  onTestFinished(close);
  return {
    url,
    send: (method: string, path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { method, ...init }),
    /** Sends bytes as they are. Returns everything that arrives until the connection is closed. */
    sendRaw: async (text: string | Buffer): Promise<string> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      socket.write(text);
      await once(socket, 'close');
      return Buffer.concat(received).toString('latin1');
    },
  };
}
