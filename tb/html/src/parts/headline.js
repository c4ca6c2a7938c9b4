// What a run reached, and what limits it.
import { bar, el, missing } from '../dom.js';
import { fixed, isNumber, percent, rate, time, whole } from '../format.js';
import { table } from '../table.js';

const AT_ITS_LIMIT = 0.95;  // as the summary that `ringside run` prints
const STOPS = {
  packets: 'all packets measured', time: 'run.time passed', converged: 'the rate converged', exhausted: 'the traffic ended',
  undelivered: 'every packet is dropped before it reaches the driver', exited: 'the guest ended the run',
  interrupted: 'interrupted', error: 'broken, the result is partial',
};

/** Why a run ended, as a sentence has it. */
export const stopText = (report) => STOPS[report.result.stop_reason] ?? report.result.stop_reason;

/** Packets that were lost, as a share of those offered. */
export function loss(report) {
  const { offered, dropped } = report.result.packets;
  const lost = Object.values(dropped).reduce((sum, packets) => sum + packets, 0);
  return offered > 0 ? lost / offered : 0;
}

const figure = (value, unit, name, kind = '') =>
  el('div', { class: `figure ${kind}` }, el('span', { class: 'value' }, value, ' ', el('span', { class: 'unit' }, unit)),
    el('span', { class: 'name' }, name));

export function figures(report) {
  const { result, guest, latency } = report;
  const all = [
    figure(rate(result.mpps), 'Mpps', 'delivered to the driver', 'first'),
    figure(fixed(result.gbps), 'Gbps', 'frame bits, without preamble and gap'),
    isNumber(result.goodput_gbps) && figure(fixed(result.goodput_gbps), 'Gbps', 'TCP goodput'),
    figure(fixed(result.ns_per_packet, 1), 'ns', 'per packet'),
    figure(fixed(guest.cycles_per_packet, 1), 'cycles', 'per packet, idle ones included'),
    figure(fixed(guest.instructions_per_packet, 1), 'instructions', 'per packet'),
    figure(fixed(guest.ipc), 'instr/cycle', 'instructions per cycle'),
    figure(fixed(loss(report) * 100), '%', 'of the offered packets lost'),
  ];
  if (latency.packets > 0) all.push(figure(...time(latency['p99_ps']).split('\u00a0'), 'latency, 99th percentile'));
  return el('div', { class: 'figures' }, all);
}

/** The entry of result.bounds for a resource. */
export const boundOf = (report, resource) => (report.result.bounds ?? []).find((bound) => bound.resource === resource);

/** "Limited by the core": one sentence, with the bound. */
export function verdict(report) {
  const [first, second] = report.result.limits ?? [];
  if (first === undefined) return missing('The report does not say what was used.');
  const limited = first.used >= AT_ITS_LIMIT;
  const bound = boundOf(report, first.resource);
  const what = limited ? ['Limited by ', el('strong', {}, first.resource), `: ${percent(first.used)} used`]
    : ['Nothing is at its limit. Busiest is ', el('strong', {}, first.resource), ` with ${percent(first.used)}`];
  const most = bound ? `, which alone allows ${rate(bound.mpps)} Mpps: ${bound.arithmetic}` : '';
  const next = second ? ` Next is ${second.resource} with ${percent(second.used)}.` : '';
  return el('p', { class: 'verdict', id: 'verdict' }, what, most, '.', next);
}

/** Every resource with its used share and its analytic bound. */
export function resources(report) {
  const limits = report.result.limits ?? [];
  const bounds = report.result.bounds;
  const names = [...new Set([...limits.map((l) => l.resource), ...(bounds ?? []).map((b) => b.resource)])];
  const measured = report.result.mpps;
  const rows = names.map((name) => {
    const bound = boundOf(report, name);
    const limit = limits.find((l) => l.resource === name);
    return { name, bound, used: limit?.used ?? (bound?.mpps > 0 ? measured / bound.mpps : undefined), counted: limit !== undefined };
  }).sort((a, b) => (b.used ?? 0) - (a.used ?? 0));
  const element = table({
    caption: 'Resources', rows, columns: [
      { name: 'Resource', cell: (r) => r.name, class: 'name' },
      { name: 'Used', cell: (r) => percent(r.used), number: true, key: (r) => r.used },
      { name: '', cell: (r) => bar(r.used, r.used >= AT_ITS_LIMIT ? 'full' : r.counted ? '' : 'thin'), class: 'wide-bar' },
      { name: 'Bound, Mpps', cell: (r) => (r.bound ? rate(r.bound.mpps) : '\u2013'), number: true, key: (r) => r.bound?.mpps },
      { name: 'How the bound comes about', cell: (r) => r.bound?.arithmetic ?? '', class: 'prose' },
      { name: 'From', cell: (r) => r.bound?.from ?? '', class: 'faint nowrap' },
    ],
  }).element;
  return [element, bounds === undefined && missing('This report is older than the analytic bounds.'),
    el('p', { class: 'note' }, 'Used: the busy share of the measured window; where nothing counts that, the measured rate over the ' +
      'bound. A bound is what the resource could carry alone: from the configuration and the mean frame, or from the work that was ' +
      'measured for each packet.')];
}

/** Where the packets went. */
export function packets(report) {
  const { offered, delivered, dropped, in_flight, ended = {} } = report.result.packets;
  const rows = [['offered', offered, 'total'], ['delivered to the driver', delivered, ''],
    ...Object.entries(ended).sort((a, b) => b[1] - a[1]).map(([name, n]) => [name, n, 'sub']),
    ...Object.entries(dropped).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]).map(([name, n]) => [`dropped: ${name}`, n, 'lost']),
    ['in flight at the end', in_flight, '']];
  return table({
    caption: 'Packets', rows, mark: (r) => r[2], columns: [
      { name: 'Packets of the whole run', cell: (r) => r[0], class: 'name' },
      { name: 'Count', cell: (r) => whole(r[1]), number: true },
      { name: 'Of offered', cell: (r) => percent(r[1] / offered, 2), number: true },
      { name: '', cell: (r) => bar(r[1] / offered, r[2] === 'lost' ? 'full' : ''), class: 'wide-bar' },
    ],
  }).element;
}

/** How full or effective rings and caches were. */
export function uses(report) {
  if (!report.uses?.length) return null;
  return table({
    caption: 'Rings and caches', rows: report.uses, columns: [
      { name: 'Rings and caches', cell: (u) => `${u.group}: ${u.name}`, class: 'name' },
      { name: 'Count', cell: (u) => whole(u.value), number: true },
      { name: 'Of', cell: (u) => `${whole(u.of)} ${u.unit}`, number: true },
      { name: 'Share', cell: (u) => percent(u.share), number: true },
      { name: '', cell: (u) => bar(u.share), class: 'wide-bar' },
    ],
  }).element;
}

/** What must not be overlooked: broken runs and corrupted data. */
export function alarms(report) {
  const { result, counters } = report;
  const all = [];
  if (result.error) all.push(`The run broke, and the result is partial: ${result.error}`);
  if (result.stop_reason === 'interrupted') all.push('The run was interrupted: the result is of the time until then.');
  const corrupt = counters?.driver?.tcp_corrupt_bytes?.value;
  if (corrupt > 0) all.push(`Corrupt data: the reader got ${whole(corrupt)} wrong bytes.`);
  for (const load of (result.stale_loads ?? []).slice(0, 1)) {
    all.push(`Stale data: the guest read bytes that DMA had replaced, first at ${time(load.at_ps)} in ${load.where}.`);
  }
  if (result.overwritten_lines?.length) {
    all.push(`Corrupt data: dirty cache lines were written back over what DMA had written, first at 0x${
      Number(result.overwritten_lines[0]).toString(16)}.`);
  }
  return all.map((sentence) => el('p', { class: 'alarm', role: 'alert' }, sentence));
}

/** One line on what ran where. */
export function about(report) {
  const config = (name) => report.config?.[name]?.value;
  const parts = [
    config('driver.name') && `driver ${config('driver.name')}`,
    report.guest.compiler,
    config('cpu.model') ?? config('platform.cpu_model'),
    config('nic.model'),
    report.result.window && `${whole(report.result.window.packets)} packets measured in ${
      time(report.result.window.end_ps - report.result.window.start_ps)} of simulated time`,
    `ended: ${stopText(report)}`,
    `fingerprint ${report.fingerprint}`,
  ];
  return el('p', { class: 'about' }, parts.filter(Boolean).map((part) => el('span', {}, part)));
}
