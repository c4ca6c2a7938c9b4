// Counters and configuration, with search.
import { el, missing } from '../dom.js';
import { short, whole } from '../format.js';
import { searchable } from '../table.js';

export function counters(report) {
  const rows = Object.entries(report.counters).flatMap(([group, members]) =>
    Object.entries(members).map(([name, counter]) => ({ group, name, ...counter })));
  if (rows.length === 0) return missing('The report has no counters.');
  const delivered = report.result.packets.delivered;
  const groups = new Map([['all', () => true], ['not zero', (c) => c.value !== 0],
    ...Object.keys(report.counters).map((name) => [name, (c) => c.group === name])]);
  const { element } = searchable({
    label: 'Search counters', caption: 'Counters', rows, groups,
    words: (c) => [c.group, c.name, c.unit, c.description],
    columns: [
      { name: 'Counted by', cell: (c) => c.group, class: 'faint', key: (c) => c.group },
      { name: 'Counter', cell: (c) => c.name, class: 'name code', key: (c) => c.name },
      { name: 'Value', cell: (c) => whole(c.value), number: true, key: (c) => c.value },
      { name: 'Unit', cell: (c) => c.unit, class: 'faint' },
      { name: 'Per packet', cell: (c) => (c.value && delivered ? short(c.value / delivered) : ''), number: true },
      { name: 'Meaning', cell: (c) => c.description, class: 'prose' },
    ],
  });
  return el('div', { id: 'counter-table' }, element);
}

/** The value of a setting as a scenario would say it. */
export function settingText({ value, unit }) {
  const one = (v) => (v !== null && typeof v === 'object' ? `up to ${v.up_to}: ${v.cost}` : String(v));
  const all = Array.isArray(value) ? (value.length ? value.map(one).join(', ') : 'none') : value === '' ? '""' : one(value);
  return unit ? `${all} ${unit}` : all;
}

const LAYERS = ['command line', 'scenario', 'data file', 'default'];

/** What a person said comes first. */
export function configuration(report) {
  const rows = Object.entries(report.config).map(([name, setting]) => ({ name, ...setting }))
    .sort((a, b) => LAYERS.indexOf(a.from) - LAYERS.indexOf(b.from));
  if (rows.length === 0) return missing('The report has no configuration.');
  const groups = new Map([['all', () => true], ...LAYERS.map((from) => [from, (s) => s.from === from])]);
  const { element } = searchable({
    label: 'Search parameters', caption: 'Configuration', rows, groups,
    words: (s) => [s.name, settingText(s), s.from, s.where, s.source],
    columns: [
      { name: 'Parameter', cell: (s) => s.name, class: 'name code', key: (s) => s.name },
      { name: 'Value', cell: (s) => settingText(s), class: 'setting' },
      { name: 'From', cell: (s) => [s.from, s.where && el('div', { class: 'faint code' }, s.where)], class: 'origin', key: (s) => s.from },
      { name: 'Source', cell: (s) => s.source, class: 'prose' },
    ],
  });
  return el('div', { id: 'config-table' }, element);
}
