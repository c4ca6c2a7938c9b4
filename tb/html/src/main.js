// Draws the report, or the comparison of two, that C++ put into the page.
import { comparisonPage } from './compare.js';
import { el, missing } from './dom.js';
import { reportPage } from './report.js';
import { themeButton } from './theme.js';

function section({ id, title, build }) {
  let content;
  try {
    content = build();
  } catch (error) {
    content = missing(`This part cannot be shown: ${error.message}`);
  }
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), content);
}

function navigation(sections) {
  const links = new Map(sections.map(({ id, title, short }) => [id, el('a', { href: `#${id}` }, short ?? title)]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const [id, link] of links) link.classList.toggle('here', id === entry.target.id);
    }
  }, { rootMargin: '-20% 0px -75% 0px' });
  return { element: el('nav', { 'aria-label': 'Parts of the report' }, [...links.values()]), watch: (all) => all.forEach((s) => seen.observe(s)) };
}

function draw(page) {
  const { title, description, about, sections } = page;
  document.title = `${title} \u2013 Ringside`;
  const nav = navigation(sections);
  const drawn = sections.map(section);
  document.getElementById('page').replaceChildren(
    el('header', {}, el('div', { class: 'top' }, el('span', { class: 'brand' }, 'Ringside'), themeButton()),
      el('h1', {}, title), el('p', { class: 'description' }, description), about),
    nav.element,
    el('main', {}, drawn));
  nav.watch(drawn);
}

const data = JSON.parse(document.getElementById('report').textContent);
draw(data.schema === 'ringside-comparison-page' ? comparisonPage(data) : reportPage(data));
