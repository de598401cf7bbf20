import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { CommandError } from '../../cli/commandError.ts';

/** The engine behind the Docker API that SAM uses. */
export interface ContainerEngine {
  readonly kind: 'docker' | 'docker-desktop' | 'podman';
  /** Whether it runs without root privileges. Its containers' network is then not on this machine. */
  readonly isRootless: boolean;
  /** The default container network. */
  readonly networks: readonly NetworkAddresses[];
}

export interface NetworkAddresses {
  /** For example `172.17.0.0/16`. */
  readonly subnet: string | undefined;
  /** This machine's address in the network. Docker does not always report it. */
  readonly gateway: string | undefined;
}

const text = z.nullish(z.string());
const version = z.object({
  Platform: z.nullish(z.object({ Name: text })),
  Components: z.nullish(z.array(z.object({ Name: text }))),
});
const info = z.object({ SecurityOptions: z.nullish(z.array(z.string())) });
const network = z.object({
  IPAM: z.nullish(z.object({ Config: z.nullish(z.array(z.object({ Subnet: text, Gateway: text }))) })),
});

/** Timeout for one request, in milliseconds. */
const timeLimit = 5_000;

/**
 * Finds the container engine that SAM will use: Docker, or its replacement in `DOCKER_HOST` (such as Podman), or else
 * Finch.
 * @param env this process's environment variables
 * @param ask sends a GET request to an engine
 * @throws CommandError if none is running, or the user may not use it
 */
export async function findContainerEngine(env: NodeJS.ProcessEnv, ask = askEngine): Promise<ContainerEngine> {
  const failures: unknown[] = [];
  for (const address of engineAddresses(env)) {
    try {
      const paths = ['/version', '/info', '/networks/bridge'];
      const [about, options, bridge] = await Promise.all(paths.map((path) => ask(address, path)));
      return describe(z.parse(version, about), z.parse(info, options), z.parse(network, bridge));
    } catch (error) {
      failures.push(error);
    }
  }
  throw unusable(failures);
}

/** In SAM's order. */
const engineAddresses = ({ DOCKER_HOST = '' }: NodeJS.ProcessEnv): string[] => [
  DOCKER_HOST === '' ? 'unix:///var/run/docker.sock' : DOCKER_HOST,
  process.platform === 'darwin'
    ? 'unix:///Applications/Finch/lima/data/finch/sock/finch.sock'
    : 'unix:///var/run/finch.sock',
];

function describe(
  about: z.infer<typeof version>,
  { SecurityOptions }: z.infer<typeof info>,
  { IPAM }: z.infer<typeof network>,
): ContainerEngine {
  const isPodman = about.Components?.some(({ Name }) => Name === 'Podman Engine') === true;
  const isDesktop = about.Platform?.Name?.startsWith('Docker Desktop') === true;
  return {
    kind: isPodman ? 'podman' : isDesktop ? 'docker-desktop' : 'docker',
    isRootless: SecurityOptions?.some((option) => option.startsWith('name=rootless')) === true,
    networks: (IPAM?.Config ?? []).map(({ Subnet, Gateway }) => ({
      subnet: Subnet ?? undefined,
      gateway: Gateway ?? undefined,
    })),
  };
}

/** @returns the parsed response; an empty object if the resource does not exist, such as a disabled network */
async function askEngine(address: string, path: string): Promise<unknown> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      ...connectionOptions(address),
      path,
      headers: { host: 'localhost' },
      signal: AbortSignal.timeout(timeLimit),
    };
    request(options, resolve).once('error', reject).end();
  });
  const body = await json(answer);
  return answer.statusCode === 200 ? body : {};
}

function connectionOptions(address: string): { socketPath: string } | { host: string; port: string } {
  const [, path] = /^(?:http\+)?unix:\/\/(.+)$/.exec(address) ?? [];
  if (path !== undefined) return { socketPath: `/${path.replace(/^\/+/, '')}` };
  const [, host, port] = /^(?:tcp|http):\/\/([^:/]+):(\d+)\/?$/.exec(address) ?? [];
  if (host !== undefined && port !== undefined) return { host, port };
  throw new CommandError(`DOCKER_HOST must be a Unix socket or a TCP address on this machine, not ${address}.`);
}

function unusable(failures: readonly unknown[]): CommandError {
  const told = failures.find((failure) => failure instanceof CommandError);
  if (told !== undefined) return told;
  const denied = failures.find((failure) => (failure as NodeJS.ErrnoException).code === 'EACCES');
  if (denied === undefined)
    return new CommandError(
      'SAM runs functions in containers, but no container engine is running: start Docker or Finch, or set DOCKER_HOST to the ' +
        'socket of Podman.',
    );
  const { address } = denied as { address?: string };
  return new CommandError(
    `SAM runs functions in containers, but you may not use the container engine: your user must be in the group of its ` +
      `socket ${address} (usually docker).`,
    1,
    { cause: denied },
  );
}
