import { unstable_startWorker } from 'wrangler';
const worker = await unstable_startWorker({ config: 'wrangler.json', dev: { server: { hostname: '127.0.0.1', port: 0 }, inspector: false, logLevel: 'error' } });
console.log(await (await worker.fetch('http://example.com/')).text());
await worker.dispose();
process.exit(0);
