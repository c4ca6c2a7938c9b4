// Tables that sort by a click on their head, and show what a search leaves.
import { el, text } from './dom.js';

// Rows that open: each with what `open(row)` makes below it.
function opener(open, columns) {
  const details = new Map();

  function toggle(row, line) {
    if (details.has(row)) {
      details.get(row).remove();
      details.delete(row);
    } else {
      details.set(row, el('tr', { class: 'detail' }, el('td', { colspan: columns.length }, open(row))));
      line.after(details.get(row));
    }
    line.setAttribute('aria-expanded', String(details.has(row)));
  }

  function prepare(row, line) {
    line.classList.add('opens');
    line.setAttribute('aria-expanded', 'false');
    line.tabIndex = 0;
    line.addEventListener('click', () => toggle(row, line));
    line.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      toggle(row, line);
    });
  }
  return { prepare, toggle, detail: (row) => details.get(row) };
}

/**
 * `columns`: `name`, `cell(row)` giving text or an element, `number` for right alignment, and `key(row)` where it can be sorted.
 * `open(row)`, if given, makes what appears below a row when it is clicked; `mark(row)` gives its class.
 */
export function table({ columns, rows, caption, open, mark }) {
  const body = el('tbody');
  const heads = columns.map((column) => el('th', { class: column.number ? 'number' : column.class, scope: 'col' }, column.key
    ? el('button', { type: 'button', class: 'sort', on: { click: () => sortBy(column) } }, column.name) : column.name));
  const opens = open && opener(open, columns);
  const made = new Map();
  let shown = rows;
  let most = rows.length;
  let sorted = null;
  let ascending = false;

  function lineOf(row) {
    if (made.has(row)) return made.get(row);
    const cells = columns.map((column) => el('td', { class: column.number ? 'number' : column.class }, column.cell(row)));
    const line = el('tr', { class: mark?.(row) }, cells);
    made.set(row, line);
    opens?.prepare(row, line);
    return line;
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
    body.replaceChildren(...ordered.slice(0, most).flatMap((row) => [lineOf(row), opens?.detail(row)].filter(Boolean)));
  }

  function openRow(row) {
    const line = lineOf(row);
    if (!opens.detail(row)) opens.toggle(row, line);
    line.scrollIntoView({ block: 'center' });
  }
  draw();

  const element = el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    el('table', {}, el('thead', {}, el('tr', {}, heads)), body));
  // `some` of the rows, at most so many of them.
  const show = (some, limit) => {
    shown = some;
    most = limit;
    draw();
  };
  return { element, show, open: openRow };
}

const SHOWN_AT_FIRST = 30;

/**
 * A table with a search field that filters by `words(row)`, and choices of `groups` (name to test). A long one is cut until all of
 * it is asked for.
 */
export function searchable({ label, words, groups, ...rest }) {
  const { rows } = rest;
  const inner = table(rest);
  const count = el('span', { class: 'count', role: 'status' });
  const field = el('input', { type: 'search', placeholder: label, 'aria-label': label, on: { input: filter } });
  const choice = groups && el('select', { 'aria-label': 'Group', on: { change: filter } },
    [...groups.keys()].map((name) => el('option', { value: name }, name)));
  const more = el('button', { type: 'button', class: 'more', on: { click: showAll } });
  let limit = SHOWN_AT_FIRST;
  const haystack = new Map(rows.map((row) => [row, words(row).map(text).join('\n').toLowerCase()]));

  function filter() {
    const terms = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const test = groups?.get(choice.value) ?? (() => true);
    const some = rows.filter((row) => test(row) && terms.every((term) => haystack.get(row).includes(term)));
    count.textContent = some.length === rows.length ? `${rows.length}` : `${some.length} of ${rows.length}`;
    inner.show(some, limit);
    more.hidden = some.length <= limit;
    more.textContent = `Show all ${some.length}`;
  }
  function showAll() {
    limit = rows.length;
    filter();
  }
  function openRow(row) {
    field.value = '';
    showAll();
    inner.open(row);
  }
  filter();
  const element = el('div', {}, el('div', { class: 'tools' }, field, choice, count), inner.element, more);
  return { element, open: openRow };
}
