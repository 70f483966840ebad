import { verdict } from './program.mjs';

export default {
  async fetch() {
    return new Response(await verdict());
  },
};
