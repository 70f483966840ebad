import { verdict } from './program.mjs';

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/verdict') event.respondWith(verdict().then((verdict) => new Response(verdict)));
});
