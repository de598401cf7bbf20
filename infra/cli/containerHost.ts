/**
 * The host name that reaches this machine from containers of Docker Desktop, Podman and Finch. Docker on Linux does not
 * define it.
 */
export const containerHost = 'host.docker.internal';
