import { runTool } from '../support.mjs';
console.log(`${await runTool('tsx/dist/cli.mjs', ['main.mts'])} ${await runTool('tsx/dist/cli.mjs', ['main.cts'])}`);
