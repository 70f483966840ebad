import { runTool } from '../support.mjs';
await runTool('jest/bin/jest.js', ['--ci', '--silent', '--watchman=false', '--rootDir', '.', '--config', '{}']);
// It fails above unless the verdict is this one.
console.log('allow deny');
