// The switch of the theme, buttons that copy, and the search over mdBook's index.
(function () {
  'use strict';
  const $ = (id) => document.getElementById(id);
  const { dataset: root } = document.documentElement;
  const base = document.body.dataset.root;

  $('theme-switch').addEventListener('click', () => {
    const isDark = root.theme ? root.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.theme = isDark ? 'light' : 'dark';
    try {
      localStorage.setItem('gbac-theme', root.theme);
    } catch {
      // Without storage, the choice counts for this page.
    }
  });

  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-copy]');
    if (button) navigator.clipboard?.writeText(button.dataset.copy).catch(() => {});
  });

  // Search. The index is large, so it is loaded when somebody searches.
  const [finder, query, found, count] = ['finder', 'query', 'found', 'found-count'].map($);
  const MOST = 20;
  const AROUND = 90;
  let loading;

  function load() {
    const script = (name) =>
      new Promise((done, failed) => {
        const element = document.createElement('script');
        element.src = base + name;
        element.onload = done;
        element.onerror = failed;
        document.head.append(element);
      });
    // The index adds itself to this object, once.
    window.search ??= {};
    loading ??= script('elasticlunr.min.js')
      .then(() => script('searchindex.js'))
      .then(() => window.elasticlunr.Index.load(window.search.index));
    return loading;
  }

  /** The text around the first place of a word, with the word marked. */
  function excerpt(body, words) {
    const lower = body.toLowerCase();
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
    const place = places.length > 0 ? Math.min(...places) : 0;
    const start = Math.max(0, body.lastIndexOf(' ', Math.max(0, place - AROUND)));
    const text = document.createElement('span');
    text.textContent = (start > 0 ? '… ' : '') + body.slice(start, place + 2 * AROUND).trim() + ' …';
    return text;
  }

  function show(results, words) {
    found.replaceChildren();
    for (const { ref, doc } of results.slice(0, MOST)) {
      const [page, anchor] = window.search.doc_urls[ref].split('#');
      const link = document.createElement('a');
      link.href = base + page + (anchor ? '#' + anchor : '');
      const title = document.createElement('b');
      title.textContent = doc.title;
      const place = document.createElement('small');
      place.textContent = doc.breadcrumbs;
      link.append(title, place, excerpt(doc.body, words));
      const item = document.createElement('li');
      item.append(link);
      found.append(item);
    }
    const number = results.length > MOST ? `The first ${MOST} of ${results.length} results` : `${results.length} results`;
    count.textContent = results.length === 0 ? 'No results' : results.length === 1 ? '1 result' : number;
  }

  async function search() {
    const text = query.value.trim().slice(0, 500);
    if (!text) {
      found.replaceChildren();
      count.textContent = '';
      return;
    }
    let index;
    try {
      index = await load();
    } catch {
      count.textContent = 'The search index could not be loaded. Reload the page.';
      return;
    }
    if (query.value.trim().slice(0, 500) !== text) return;
    // A pasted error has words that no page has, so any word counts when not all do.
    const fields = { title: { boost: 2 }, body: { boost: 1 }, breadcrumbs: { boost: 1 } };
    let results = index.search(text, { bool: 'AND', expand: true, fields });
    if (results.length === 0) results = index.search(text, { bool: 'OR', expand: false, fields });
    show(results, text.toLowerCase().split(/\s+/));
  }

  function open() {
    if (!finder.open) finder.showModal();
    query.select();
  }

  for (const button of document.querySelectorAll('.find, .finds')) button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select');
    const isKey = (event.ctrlKey || event.metaKey) && event.key === 'k';
    if (isKey || (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey)) {
      event.preventDefault();
      open();
    }
  });
  query.addEventListener('input', search);
  finder.addEventListener('click', (event) => {
    // Outside of the box, and on a result of the page that is shown.
    if (event.target === finder || event.target.closest('a')) finder.close();
  });
  finder.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    found.querySelector('a')?.click();
  });
})();
