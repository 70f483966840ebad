import { resolve } from 'node:path';

// The tools of the matrix are one folder up; an application needs none of this.
export default { turbopack: { root: resolve('..') }, outputFileTracingRoot: resolve('..') };
