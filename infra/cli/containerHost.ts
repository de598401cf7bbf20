/**
 * Containers of Docker Desktop, Podman and Finch reach the machine that runs them by this name. On Linux, those of Docker
 * itself do not know it.
 */
export const containerHost = 'host.docker.internal';
