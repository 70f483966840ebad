// What the files of one run share: services and the clipboard of the browser. `run.mjs` lends each thing to one file at a time; a
// file that runs alone borrows nothing.

import { once } from 'node:events';
import { createServer, get } from 'node:http';

/** Where the run lends things. */
const { GBAC_E2E_RUN: RUN } = process.env;

/** Things of one kind, made when none is free, up to a number; whoever comes later waits. */
export class Pool {
  #free = [];
  #waiting = [];
  #made = 0;

  constructor(make, most = Infinity) {
    this.make = make;
    this.most = most;
  }

  async take() {
    if (this.#free.length > 0) return this.#free.pop();
    if (this.#made === this.most) return await new Promise((resolve) => this.#waiting.push(resolve));
    this.#made += 1;
    return await this.make();
  }

  giveBack(thing) {
    const next = this.#waiting.shift();
    if (next) next(thing);
    else this.#free.push(thing);
  }
}

/** Lends from these pools, by their names: a thing is out as long as the request for it is open, so that no file can keep one. */
export async function lend(pools) {
  const server = createServer(async (request, response) => {
    const pool = pools[request.url.slice(1)];
    try {
      const thing = await pool.take();
      if (response.destroyed) return pool.giveBack(thing);
      response.on('close', () => pool.giveBack(thing));
      response.write(JSON.stringify(thing));
    } catch (error) {
      response.writeHead(500).end(`${error.stack}`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Borrows a thing of the run, until `giveBack` is called; undefined for a file that runs alone. */
export async function borrow(name) {
  if (!RUN) return undefined;
  const request = get(`${RUN}/${name}`);
  const [response] = await once(request, 'response');
  const [said] = await once(response.setEncoding('utf8'), 'data');
  if (response.statusCode !== 200) throw new Error(`the run lends no ${name}: ${said}`);
  // To hang up is no error.
  for (const stream of [request, response]) stream.on('error', () => {});
  return { thing: JSON.parse(said), giveBack: () => request.destroy() };
}
