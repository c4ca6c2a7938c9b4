// Two runs beside each other, figure by figure.
import { bar, el, leftOut, missing } from '../dom.js';
import { change, fixed, isNumber, percent, rate, short, signed, time, whole } from '../format.js';
import { searchable, table } from '../table.js';
import { codeOf } from './code.js';
import { LISTINGS, mainStalls, reasonText } from './costs.js';
import * as single from './headline.js';

const HIGHER_IS_BETTER = new Set(['mpps', 'gbps', 'goodput_gbps', 'ipc']);

const NAMES = {
  mpps: 'packet rate', gbps: 'data rate', goodput_gbps: 'TCP goodput', ns_per_packet: 'time per packet',
  busy_cycles_per_packet: 'cycles per packet without idle ones', ipc: 'instructions per cycle', loss: 'packets lost',
};

// Text in the colour of good or bad news; of neither where `better` is 0.
function tone(content, delta, better = -1) {
  const kind = !isNumber(delta) || delta === 0 || better === 0 ? undefined : delta * better > 0 ? 'better' : 'worse';
  return el('span', { class: kind }, content);
}

const isZero = (shown) => !/[1-9]/.test(shown);

// The columns A, B, relative change and difference. `get(row)` gives the two values.
function pair(get, { show = fixed, better = () => -1, digits = 2, relative = () => true } = {}) {
  const delta = (row) => {
    const [a, b] = get(row);
    return isNumber(a) && isNumber(b) ? b - a : undefined;
  };
  return [
    { name: 'A', cell: (r) => show(get(r)[0]), number: true, key: (r) => get(r)[0] },
    { name: 'B', cell: (r) => show(get(r)[1]), number: true, key: (r) => get(r)[1] },
    { name: 'Change', cell: (r) => relative(r) && tone(change(...get(r)), delta(r), better(r)), number: true },
    { name: 'Difference', cell: (r) => {
      const shown = show === time ? signedTime(delta(r)) : signed(delta(r), digits);
      return tone(shown, isZero(shown) ? 0 : delta(r), better(r));
    }, number: true, key: delta },
  ];
}

const signedTime = (ps) => (isNumber(ps) && ps !== 0 ? (ps < 0 ? '\u2212' : '+') + time(Math.abs(ps)) : time(ps));

export const about = ({ runs }) => el('div', { class: 'runs' }, runs.map((run, i) => el('p', { class: 'about' },
  [`${'AB'[i]}: ${run.file}`, run.compiler, `limit ${run.limit} ${percent(run.limit_used)}`, `fingerprint ${run.fingerprint}`]
    .filter(Boolean).map((part) => el('span', {}, part)))));

export const alarms = (reports) => reports.map((report, i) => single.alarms(report).map((alarm) => {
  alarm.prepend(`${'AB'[i]}: `);
  return alarm;
}));

export function headline({ headline: rows }) {
  return el('div', { id: 'headline' }, table({
    caption: 'Headline', rows, columns: [
      { name: 'Figure', cell: (r) => NAMES[r.name] ?? r.name.replaceAll(/[._]/g, ' '), class: 'name' },
      ...pair((r) => r.values, { better: (r) => (HIGHER_IS_BETTER.has(r.name) ? 1 : -1), relative: (r) => r.unit !== '%' }),
      { name: 'Unit', cell: (r) => r.unit, class: 'faint' },
    ],
  }).element);
}

export function limits(reports) {
  const names = [...new Set(reports.flatMap((r) => [...(r.result.limits ?? []), ...(r.result.bounds ?? [])].map((l) => l.resource)))];
  const used = (report, name) => (report.result.limits ?? []).find((l) => l.resource === name)?.used;
  const rows = names.map((name) => ({
    name, used: reports.map((r) => used(r, name)), bound: reports.map((r) => single.boundOf(r, name)?.mpps),
  })).sort((x, y) => (y.used[1] ?? 0) - (x.used[1] ?? 0));
  const usedBar = (i) => ({ name: '', cell: (r) => (isNumber(r.used[i]) ? bar(r.used[i], r.used[i] >= 0.95 ? 'full' : '') : ''), class: 'wide-bar' });
  return [
    reports.map((report, i) => el('p', { class: 'limit' }, el('strong', {}, `${'AB'[i]}: `), ...single.verdict(report).childNodes)),
    table({
      caption: 'Resources', rows, columns: [
        { name: 'Resource', cell: (r) => r.name, class: 'name' },
        { name: 'Used, A', cell: (r) => percent(r.used[0]), number: true }, usedBar(0),
        { name: 'Used, B', cell: (r) => percent(r.used[1]), number: true }, usedBar(1),
        { name: 'Bound A, Mpps', cell: (r) => rate(r.bound[0]), number: true },
        { name: 'Bound B, Mpps', cell: (r) => rate(r.bound[1]), number: true },
      ],
    }).element,
  ];
}

export function latency(reports) {
  const all = reports.map((r) => r.latency);
  if (all.some((l) => !(l.packets > 0))) return missing('At least one of the runs delivered no packet in its window.');
  const stages = [...new Set(all.flatMap((l) => (l.stages ?? []).map((s) => s.name)))];
  const rows = ['min', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max'].map((p) => ({ name: `wire to driver, ${p}`, values: all.map((l) => l[`${p}_ps`]) }));
  for (const name of stages) {
    rows.push({ name: `${name}, mean`, values: all.map((l) => (l.stages ?? []).find((s) => s.name === name)?.mean_ps) });
  }
  return table({
    caption: 'Latency', rows, columns: [{ name: 'Latency', cell: (r) => r.name, class: 'name' }, ...pair((r) => r.values, { show: time })],
  }).element;
}

export function stalls({ stalls: rows }) {
  if (rows.length === 0) return missing('Neither report has cycles by reason.');
  const most = Math.max(...rows.flatMap((r) => r.cycles_per_packet));
  const column = (i) => ({ name: `${'AB'[i]}`, cell: (r) => bar(r.cycles_per_packet[i] / most, i === 0 ? 'thin' : ''), class: 'wide-bar' });
  return table({
    caption: 'Cycles by reason', rows, columns: [
      { name: 'Cycles per packet on', cell: (r) => r.name, class: 'name' },
      ...pair((r) => r.cycles_per_packet), column(0), column(1),
      { name: 'Waiting for', cell: (r) => reasonText(r.name), class: 'faint prose' },
    ],
  }).element;
}

const marks = (f) => [f.code_changed && 'other code', f.ran_in_some && 'in one run only'].filter(Boolean).join(', ');

export function functions({ functions: rows }, reports) {
  if (rows.length === 0) return { element: missing('Neither report has functions.'), open: () => {} };
  const code = reports.map(codeOf);
  const both = (name) => code.map((of, i) => [el('h3', {}, 'AB'[i]), of(name)]);
  const inner = searchable({
    label: 'Search functions', caption: 'Functions', rows, words: (f) => [f.name], open: (f) => both(f.name), columns: [
      { name: 'Function', cell: (f) => f.name, class: 'name code', key: (f) => f.name },
      ...pair((f) => f.cycles_per_packet),
      { name: 'Instr/packet A', cell: (f) => fixed(f.instructions_per_packet[0]), number: true },
      { name: 'B', cell: (f) => fixed(f.instructions_per_packet[1]), number: true },
      { name: 'Code A, B', cell: (f) => whole(f.code_bytes[0]), number: true },
      { name: 'B', cell: (f) => whole(f.code_bytes[1]), number: true },
      { name: 'Waits in B, cycles/packet', cell: (f) => mainStalls(f.stalls[1]), class: 'faint' },
      { name: '', cell: marks, class: 'faint nowrap' },
    ],
  });
  const open = (name) => {
    const row = rows.find((f) => f.name === name);
    if (row !== undefined) inner.open(row);
  };
  const element = el('div', { id: 'function-table' }, el('p', { class: 'note' }, 'Cycles per packet, callees not included.'), inner.element,
    reports.map((report) => leftOut(report, 'profile', LISTINGS)));
  return { element, open };
}

export function drops({ drops: rows }) {
  if (rows.length === 0) return missing('Neither run lost a packet.');
  return table({
    caption: 'Lost packets', rows,
    columns: [{ name: 'Cause', cell: (r) => r.name, class: 'name code' }, ...pair((r) => r.values, { show: whole, digits: 0 })],
  }).element;
}

export function counters({ counters: rows }) {
  if (rows.length === 0) return missing('No counter\u2019s rate per packet differs by more than 0.5 %.');
  const { element } = searchable({
    label: 'Search counters', caption: 'Counters', rows, words: (c) => [c.name, c.unit],
    columns: [
      { name: 'Counter', cell: (c) => c.name, class: 'name code', key: (c) => c.name },
      ...pair((c) => c.values, { show: whole, digits: 0, better: () => 0 }),
      { name: 'Per packet A', cell: (c) => short(c.per_packet[0]), number: true },
      { name: 'B', cell: (c) => short(c.per_packet[1]), number: true },
      { name: 'Unit', cell: (c) => c.unit, class: 'faint' },
    ],
  });
  return el('div', { id: 'counter-table' }, element);
}

export function configuration({ config: rows }) {
  if (rows.length === 0) return missing('Both runs had the same parameters.');
  return table({
    caption: 'Parameters', rows, columns: [
      { name: 'Parameter', cell: (r) => r.name, class: 'name code' },
      { name: 'A', cell: (r) => r.values[0], class: 'setting' },
      { name: 'B', cell: (r) => r.values[1], class: 'setting' },
    ],
  }).element;
}
