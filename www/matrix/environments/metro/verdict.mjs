// One bundle as an application has it, without the package beside it.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { elsewhere, run, TOOLS } from '../support.mjs';

mkdirSync('out');
const require = createRequire(join(TOOLS, 'package.json'));
const metro = require('metro');
const config = metro.mergeConfig(await metro.loadConfig({ cwd: resolve('.') }), {
  projectRoot: resolve('.'), watchFolders: [TOOLS], maxWorkers: 1, cacheStores: [], resolver: { sourceExts: ['js', 'mjs', 'cjs', 'json'], useWatchman: false },
  // The parser of React Native.
  transformer: {
    babelTransformerPath: require.resolve('metro-babel-transformer'), hermesParser: true,
    getTransformOptions: async () => ({ transform: { experimentalImportSupport: true, inlineRequires: false } }),
  },
});
await metro.runBuild(config, { entry: 'main.js', out: resolve('out/bundle.js'), dev: false, minify: true });
console.log(await run(process.execPath, ['bundle.js'], { cwd: elsewhere('out') }));
