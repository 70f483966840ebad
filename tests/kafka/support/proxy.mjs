// A way to a broker that sees which requests pass.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** The number of the request. */
export const CREATE_ACLS = 30;

/** Starts it; `passed` gets the number of each request that has been passed on as a whole. */
export async function startProxy(target, passed) {
  const [host, port] = target.split(':');
  const server = createServer((client) => {
    const broker = connect(Number(port), host);
    let rest = Buffer.alloc(0);
    client.on('data', (bytes) => {
      broker.write(bytes);
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 6 && rest.length >= 4 + rest.readInt32BE()) {
        passed(rest.readInt16BE(4));
        rest = rest.subarray(4 + rest.readInt32BE());
      }
    });
    broker.pipe(client);
    const over = () => [client, broker].forEach((socket) => socket.destroy());
    for (const socket of [client, broker]) socket.on('close', over).on('error', over);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
