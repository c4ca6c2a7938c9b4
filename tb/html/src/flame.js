// Flame graphs: of one run, and the difference between two.
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { el, text } from './dom.js';
import { fixed, isNumber, percent, signed } from './format.js';
import { colour, onTheme } from './theme.js';

const CELL = 20;
const ROOT = 'all';
export const PATHS = 'call paths, those with the fewest cycles,';
const DEEPEST = 128;  // frames; Ringside follows calls less deep

function child(node, name) {
  node.index ??= new Map();
  let found = node.index.get(name);
  if (found === undefined) {
    found = { name, value: 0, before: 0, children: [] };
    node.index.set(name, found);
    node.children.push(found);
  }
  return found;
}

// Adds cycles per packet of every stack to the member `to` of all its frames.
function add(root, stacks, packets, to) {
  for (const { stack, cycles } of Array.isArray(stacks) ? stacks : []) {
    if (!Array.isArray(stack) || !isNumber(cycles)) continue;
    const cost = cycles / packets;
    let node = root;
    node[to] += cost;
    for (const name of stack.slice(0, DEEPEST)) {
      node = child(node, text(name));
      node[to] += cost;
    }
  }
}

const emptyRoot = () => ({ name: ROOT, value: 0, before: 0, children: [] });

/** The tree of a report's guest.stacks. */
export function flameTree(report) {
  const root = emptyRoot();
  add(root, report.guest.stacks, report.result.window.packets || 1, 'value');
  return root;
}

/** The tree of `after`, and of what only `before` has, with the cycles of both. */
export function differenceTree(before, after) {
  const root = emptyRoot();
  add(root, after.guest.stacks, after.result.window.packets || 1, 'value');
  add(root, before.guest.stacks, before.result.window.packets || 1, 'before');
  // Width is what `after` spends; a frame that is gone keeps the width that it had, so that it can be seen. Parents must not be
  // narrower than their children.
  const settle = (node) => {
    node.after = node.value;
    let inside = 0;
    for (const below of node.children) inside += settle(below);
    if (node.after === 0) node.value = node.before;
    node.value = Math.max(node.value, inside);
    return node.value;
  };
  settle(root);
  return root;
}

// Mixes two colours of the style sheet, `share` of the second.
function mix(from, to, share) {
  const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const [a, b] = [parse(colour(from)), parse(colour(to))];
  return `rgb(${a.map((x, i) => Math.round(x + (b[i] - x) * share)).join()})`;
}

// A shade of one hue that stays the same for a name.
function shade(name) {
  let hash = 0;
  for (let i = 0; i < name.length; ++i) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
  return mix('flame-low', 'flame-high', (hash % 997) / 996);
}

function differenceShade(data, most) {
  const delta = data.after - data.before;
  const strength = Math.min(1, Math.sqrt(Math.abs(delta) / (most || 1)));
  return mix('flame-same', delta > 0 ? 'flame-worse' : 'flame-better', strength);
}

const largestChange = (node) =>
  Math.max(0, ...node.children.map((c) => Math.max(Math.abs(c.after - c.before), largestChange(c))));

const depth = (node) => 1 + Math.max(0, ...node.children.map(depth));

/**
 * The graph of a tree with search, reset and a line that says what is under the pointer. `difference`: the tree is of two runs.
 * `openCode(name)` shows the code of a function.
 */
export function flameGraph(tree, { difference = false, id = 'flame', openCode } = {}) {
  const most = difference ? largestChange(tree) : 0;
  const label = (data) => {
    if (!difference) return `${data.name}: ${fixed(data.value)} cycles per packet, ${percent(data.value / tree.value)}`;
    return `${data.name}: ${fixed(data.before)} \u2192 ${fixed(data.after)} cycles per packet, ` +
      `${signed(data.after - data.before)}`;
  };
  const detail = el('p', { class: 'flame-detail', id: `${id}-detail`, role: 'status' }, label(tree));
  const box = el('div', { class: 'flame', id });
  const reset = el('button', { type: 'button', id: `${id}-reset`, hidden: true, on: { click: () => chart.resetZoom() } }, 'Reset zoom');
  let zoomed = null;
  const code = el('button', { type: 'button', id: `${id}-code`, hidden: true, on: { click: () => openCode(zoomed) } });
  const search = el('input', { type: 'search', placeholder: 'Highlight functions', 'aria-label': 'Highlight functions',
    id: `${id}-search`, on: { input: () => find(search.value.trim()) } });

  const chart = flamegraph()
    .cellHeight(CELL)
    .height(depth(tree) * CELL)
    .minFrameSize(1)
    .transitionDuration(matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 250)
    .inverted(true)
    .sort((a, b) => b.data.value - a.data.value)
    .setLabelHandler((d) => label(d.data))
    .setDetailsHandler((d) => { detail.textContent = text(d ?? label(tree)); })
    .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term.toLowerCase()))
    .setSearchHandler((_, sum) => { detail.textContent = `highlighted: ${fixed(sum)} cycles per packet, ${percent(sum / tree.value)}`; })
    .setColorMapper((d) => {
      if (d.highlight) return colour('highlight');
      if (d.data === tree) return colour('flame-root');
      return difference ? differenceShade(d.data, most) : shade(d.data.name);
    })
    .onClick((d) => {
      zoomed = d.data.name;
      code.textContent = `Code of ${zoomed}`;
      reset.hidden = code.hidden = d.data === tree;
    });

  function find(term) {
    if (term === '') chart.clear();
    else chart.search(term);
  }
  function draw() {
    if (box.clientWidth === 0) return;
    const first = box.firstChild === null;
    chart.width(box.clientWidth);
    if (first) select(box).datum(tree).call(chart);
    else chart.update();
  }
  new ResizeObserver(() => chart.width() !== box.clientWidth && draw()).observe(box);
  onTheme(draw);
  return el('div', { class: 'flame-graph' }, el('div', { class: 'tools' }, search, reset, code), detail, box);
}
