const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address is safe from interception: https, or http on this machine. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname));
