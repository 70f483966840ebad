// The environments in which the package is tested: the folder of the program, and the differences between variants.

/** @typedef {{ name: string, title: string, folder?: string, short?: boolean, variant?: string, tool?: string, node?: string }} Environment */

const vites = ['vite5', 'vite6', 'vite7', 'vite8'];
const vite = (folder, what) => vites.map((tool) => ({ name: `${tool}-${folder.slice(5)}`, title: `Vite, ${what}`, folder, variant: tool, tool, node: tool === 'vite8' ? 'node-24' : undefined }));

/** @type {Environment[]} */
export const ENVIRONMENTS = [
  { name: 'node-import', title: 'Node, `import`', short: true, tool: 'node' },
  { name: 'node-require', title: 'Node, `require`', short: true, tool: 'node' },
  ...['node-20', 'node-22', 'node-24'].flatMap((node) => ['import', 'require'].map((how) => ({ name: `${node}-${how}`, title: `Node, \`${how}\``, folder: `node-${how}`, tool: node, node }))),
  { name: 'typescript', title: 'TypeScript, strict: node16, nodenext, bundler, node10; with and without the DOM library', tool: 'typescript' },
  { name: 'tsx', title: 'tsx, CommonJS and ES module, on Node 20', tool: 'tsx', node: 'node-20' },
  ...vite('vite-dev', 'development').map((one) => ({ ...one, short: one.tool === 'vite7' })),
  ...vite('vite-build', 'build'),
  ...vite('vite-ssr', 'server-side rendering'),
  { name: 'webpack', title: 'webpack', tool: 'webpack' },
  { name: 'rspack', title: 'Rspack', tool: '@rspack/core' },
  { name: 'metro', title: 'Metro, the bundler of React Native', tool: 'metro', node: 'node-24' },
  { name: 'rollup', title: 'Rollup, one classic script', tool: 'rollup' },
  { name: 'esbuild-browser', title: 'esbuild, browser', tool: 'esbuild' },
  { name: 'esbuild-esm', title: 'esbuild, Node, ES module', tool: 'esbuild' },
  { name: 'esbuild-cjs', title: 'esbuild, Node, CommonJS', short: true, tool: 'esbuild' },
  { name: 'next-dev', title: 'Next.js, server component in development', short: true, tool: 'next' },
  { name: 'next', title: 'Next.js: server and client components, routes, edge, middleware (Turbopack)', tool: 'next' },
  { name: 'next-webpack', title: 'Next.js: the same (webpack)', folder: 'next', variant: 'webpack', tool: 'next' },
  { name: 'workerd', title: 'Cloudflare Workers (workerd, with Wrangler)', tool: 'wrangler', node: 'node-24' },
  ...['run', 'build', 'compile'].map((variant) => ({ name: `bun-${variant}`, title: `Bun, ${variant}`, folder: 'bun', variant, tool: 'bun' })),
  { name: 'deno', title: 'Deno', tool: 'deno' },
  { name: 'jest', title: 'Jest, as installed', short: true, tool: 'jest' },
  { name: 'jest-jsdom', title: 'Jest with jsdom', folder: 'jest', variant: 'jsdom', short: true, tool: 'jest-environment-jsdom' },
  { name: 'vitest', title: 'Vitest', tool: 'vitest', node: 'node-24' },
  { name: 'script-module', title: '`<script type="module">` from a folder, Chromium' },
  { name: 'service-worker', title: 'service worker, Chromium' },
];
