import { runTool } from '../support.mjs';
const environment = process.env.GBAC_VARIANT === 'jsdom' ? ['--env', 'jsdom'] : [];
await runTool('jest/bin/jest.js', ['--ci', '--silent', '--watchman=false', '--rootDir', '.', '--config', '{}', ...environment]);
// It fails above unless the verdict is this one.
console.log('allow deny');
