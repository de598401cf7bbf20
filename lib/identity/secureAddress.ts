const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether nobody on the way can read or change what is fetched from an address: https, or http that stays on this machine. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname));
