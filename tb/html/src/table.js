// Tables that sort by a click on their head, and show what a search leaves.
import { el, text } from './dom.js';

/**
 * `columns`: `name`, `cell(row)` giving text or an element, `number` for right alignment, and `key(row)` where it can be sorted.
 * `open(row)`, if given, makes what appears below a row when it is clicked.
 */
export function table({ columns, rows, caption, open, wide, mark }) {
  const body = el('tbody');
  const heads = columns.map((column) => el('th', { class: column.number ? 'number' : column.class, scope: 'col' }, column.key
    ? el('button', { type: 'button', class: 'sort', on: { click: () => sortBy(column) } }, column.name) : column.name));
  const made = new Map();
  let shown = rows;
  let sorted = null;
  let ascending = false;

  function lineOf(row) {
    if (made.has(row)) return made.get(row);
    const cells = columns.map((column) => el('td', { class: column.number ? 'number' : column.class }, column.cell(row)));
    const line = el('tr', { class: mark?.(row) }, cells);
    made.set(row, line);
    if (open) makeOpenable(line, row);
    return line;
  }

  function makeOpenable(line, row) {
    let detail = null;
    const toggle = () => {
      if (detail === null) {
        detail = el('tr', { class: 'detail' }, el('td', { colspan: columns.length }, open(row)));
        line.after(detail);
      } else {
        detail.remove();
        detail = null;
      }
      line.setAttribute('aria-expanded', String(detail !== null));
    };
    line.classList.add('opens');
    line.setAttribute('aria-expanded', 'false');
    line.tabIndex = 0;
    line.addEventListener('click', toggle);
    line.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      toggle();
    });
    line.openDetail = () => detail === null && toggle();
  }

  function sortBy(column) {
    ascending = sorted === column && !ascending;
    sorted = column;
    heads.forEach((head, i) => {
      if (columns[i] === column) head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    draw();
  }

  function compare(a, b) {
    const [x, y] = [sorted.key(a), sorted.key(b)];
    const order = typeof x === 'string' || typeof y === 'string' ? text(x).localeCompare(text(y)) : (x ?? 0) - (y ?? 0);
    return ascending ? order : -order;
  }

  function draw() {
    const ordered = sorted === null ? shown : [...shown].sort(compare);
    body.replaceChildren(...ordered.map(lineOf));
    for (const line of body.children) line.setAttribute('aria-expanded', 'false');
    if (!open) for (const line of body.children) line.removeAttribute('aria-expanded');
  }
  draw();

  const element = el('div', { class: wide ? 'scroll' : 'scroll narrow', tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {}, el('thead', {}, el('tr', {}, heads)), body));
  return { element, show: (some) => { shown = some; draw(); }, line: (row) => lineOf(row) };
}

const SHOWN_AT_FIRST = 30;

/** A table with a search field that filters by `words(row)`, and choices of `groups` (name to test). Long ones are cut until asked for. */
export function searchable({ label, words, groups, ...rest }) {
  const { rows } = rest;
  const inner = table(rest);
  const count = el('span', { class: 'count', role: 'status' });
  const field = el('input', { type: 'search', placeholder: label, 'aria-label': label, on: { input: filter } });
  const choice = groups && el('select', { 'aria-label': 'Group', on: { change: filter } },
    [...groups.keys()].map((name) => el('option', { value: name }, name)));
  const more = el('button', { type: 'button', class: 'more', on: { click: () => { whole = true; filter(); } } });
  let whole = false;
  const haystack = new Map(rows.map((row) => [row, words(row).map(text).join('\n').toLowerCase()]));

  function filter() {
    const terms = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const test = groups?.get(choice.value) ?? (() => true);
    const some = rows.filter((row) => test(row) && terms.every((term) => haystack.get(row).includes(term)));
    count.textContent = some.length === rows.length ? `${rows.length}` : `${some.length} of ${rows.length}`;
    const cut = !whole && some.length > SHOWN_AT_FIRST;
    inner.show(cut ? some.slice(0, SHOWN_AT_FIRST) : some);
    more.hidden = !cut;
    more.textContent = `Show all ${some.length}`;
  }
  filter();
  return el('div', {}, el('div', { class: 'tools' }, field, choice, count), inner.element, more);
}
