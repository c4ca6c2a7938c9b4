// Where time and cycles went: latency, stalls, functions with their code.
import { bar, el, leftOut, missing } from '../dom.js';
import { fixed, isNumber, percent, time, whole } from '../format.js';
import { searchable, table } from '../table.js';

const REASONS = {
  base: 'as fast as the width of the core allows', front_end: 'instruction cache, taken branches',
  mispredict: 'refilling after a wrong prediction', dependency: 'a result of an execution unit', l1: 'data from the first level',
  l2: 'data from the second level', llc: 'data from the last level', dram: 'data from memory', tlb: 'a page walk',
  store_buffer: 'a full store buffer', rep: 'repeated string instructions', serialise: 'barriers',
  mmio: 'device registers', idle: 'an interrupt', residual: 'kernel work that the guest does not contain',
};
export const reasonText = (name) => REASONS[name] ?? '';

const STAGES = {
  buffer: 'until the device begins to move the bytes', data: 'until all of them are in memory',
  completion: 'until its completion is', ring: 'until the driver sees that',
};
const PERCENTILES = ['min', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'max'];

export function latency(report) {
  const { latency: all } = report;
  if (!(all.packets > 0)) return missing('No packet was delivered in the window.');
  const stages = Array.isArray(all.stages) ? all.stages : [];
  const rows = [{ name: 'wire to driver', all: true, ...all }, ...stages];
  const mean = all.mean_ps || 1;
  return [
    table({
      caption: 'Latency', rows, mark: (r) => (r.all ? 'total' : ''), columns: [
        { name: 'Stage', cell: (r) => r.name, class: 'name' },
        ...PERCENTILES.map((p) => ({ name: p, cell: (r) => time(r[`${p}_ps`]), number: true })),
        { name: 'Share of mean', cell: (r) => bar(r.mean_ps / mean), class: 'wide-bar' },
        { name: '', cell: (r) => STAGES[r.name] ?? '', class: 'faint prose' },
      ],
    }).element,
    stages.length === 0 && missing('This report does not divide latency into stages.'),
    el('p', { class: 'note' }, 'From the last bit on the wire to the driver\u2019s sight of the completion, of the packets delivered in ' +
      'the window. Percentiles are at most 1.6 % too high, and those of stages do not add up.'),
  ];
}

export function stalls(report) {
  const { guest } = report;
  const rows = Object.entries(guest.stalls).sort((a, b) => b[1] - a[1]);
  if (rows.length === 0) return missing('The report has no cycles by reason.');
  return table({
    caption: 'Cycles by reason', rows, columns: [
      { name: 'Cycles spent on', cell: (r) => r[0], class: 'name' },
      { name: 'Cycles per packet', cell: (r) => fixed(r[1]), number: true },
      { name: 'Share', cell: (r) => percent(r[1] / guest.cycles_per_packet), number: true },
      { name: '', cell: (r) => bar(r[1] / guest.cycles_per_packet, r[0] === 'idle' ? 'thin' : ''), class: 'wide-bar' },
      { name: 'Waiting for', cell: (r) => reasonText(r[0]), class: 'faint prose' },
    ],
  }).element;
}

// "l2 12.0, dram 3.1": the reasons beside base that cost most.
export function mainStalls(stalls, most = 3) {
  const large = Object.entries(stalls ?? {}).filter(([name, cycles]) => name !== 'base' && isNumber(cycles) && cycles >= 0.005)
    .sort((a, b) => b[1] - a[1]).slice(0, most);
  return large.map(([name, cycles]) => `${name}\u00a0${fixed(cycles)}`).join(', ');
}

export const LISTINGS = 'listings, those of the functions with the fewest cycles,';

/** The table of functions, and a way to open one by name. */
export function functions(report, code) {
  const { guest } = report;
  const rows = guest.functions;
  if (rows.length === 0) return { element: missing('No function of the guest ran in the window.'), open: () => {} };
  const total = guest.cycles_per_packet;
  const inner = searchable({
    label: 'Search functions', caption: 'Functions', rows, words: (f) => [f.name], open: (f) => code(f.name), columns: [
      { name: 'Function', cell: (f) => f.name, class: 'name code', key: (f) => f.name },
      { name: 'Share', cell: (f) => percent(f.cycles_per_packet / total), number: true, key: (f) => f.cycles_per_packet },
      { name: '', cell: (f) => bar(f.cycles_per_packet / total), class: 'wide-bar' },
      { name: 'Cycles/packet', cell: (f) => fixed(f.cycles_per_packet), number: true, key: (f) => f.cycles_per_packet },
      { name: 'Instr/packet', cell: (f) => fixed(f.instructions_per_packet), number: true, key: (f) => f.instructions_per_packet },
      { name: 'Calls', cell: (f) => whole(f.calls), number: true, key: (f) => f.calls },
      { name: 'Code, B', cell: (f) => whole(f.code_bytes), number: true, key: (f) => f.code_bytes },
      { name: 'Waits, cycles/packet', cell: (f) => mainStalls(f.stalls), class: 'faint' },
    ],
  });
  const open = (name) => {
    const row = rows.find((f) => f.name === name);
    if (row !== undefined) inner.open(row);
  };
  return { element: el('div', { id: 'function-table' }, inner.element, leftOut(report, 'profile', LISTINGS)), open };
}
