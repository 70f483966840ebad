// Serves the console without a service, on a free port of this machine.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../console/', import.meta.url));
const TYPES = {
  '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json', '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm', '.woff2': 'font/woff2',
};
/** The names of the console's files; everything else is a page, which index.html renders. */
const FILE = /^\/(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)+$/;

async function answer(request, response) {
  const path = request.url.split('?')[0];
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (request.method !== 'GET' && request.method !== 'HEAD') return response.writeHead(405).end();
  const name = FILE.test(path) ? path : '/index.html';
  try {
    const content = await readFile(FOLDER + name.slice(1));
    response.setHeader('Content-Type', TYPES[extname(name)] ?? 'application/octet-stream').end(content);
  } catch {
    response.writeHead(404).end();
  }
}

/** Opens a page in the browser, if there is a screen. A missing browser is not an error, because the URL is printed. */
function open(url) {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const ownScreen = process.platform === 'win32' || process.platform === 'darwin';
  if (process.argv.includes('--no-open') || CI || !process.stdout.isTTY || !(ownScreen || DISPLAY || WAYLAND_DISPLAY)) return;
  const [program, ...words] = { win32: ['rundll32', 'url.dll,FileProtocolHandler'], darwin: ['open'] }[process.platform] ?? ['xdg-open'];
  spawn(program, [...words, url], { stdio: 'ignore' }).on('error', () => {});
}

/** Serves until the process ends. */
export function serveConsole() {
  const server = createServer((request, response) => void answer(request, response));
  server.on('error', (error) => {
    console.error(`gbac: cannot open a port on 127.0.0.1: ${error.message}`);
    process.exitCode = 1;
  });
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    console.log(`listening on ${url}`);
    open(url);
  });
}
