// The run over simulated time.
import { stepChart } from '../chart.js';
import { el, missing } from '../dom.js';
import { isNumber } from '../format.js';

const MISSING = 'This report has no time series: it is older than they are, or the run ended before traffic began.';

/** The time series of a report, or null where it has none that can be drawn. */
export function seriesOf(report) {
  const { timeline } = report;
  if (!Array.isArray(timeline?.end_ps) || timeline.end_ps.length === 0 || !Array.isArray(timeline.series)) return null;
  const { start_ps: start, end_ps: ends } = timeline;
  const lengths = ends.map((end, i) => end - (i === 0 ? start : ends[i - 1]));
  const find = (group, name) => timeline.series.find((s) => s.group === group && s.name === name)?.values;
  const zero = ends.map(() => 0);
  return {
    start, ends, lengths,
    group: (group) => timeline.series.filter((s) => s.group === group),
    mean: (group, name) => find(group, name) ?? zero,
    has: (group, name) => find(group, name)?.some((value) => value > 0) ?? false,
    // Units per microsecond, times `scale`.
    rate: (group, name, scale = 1) => (find(group, name) ?? zero).map((n, i) => n * scale * 1e6 / lengths[i]),
    // The same of a whole group.
    sumRate: (group) => ends.map((_, i) => timeline.series.filter((s) => s.group === group)
      .reduce((sum, s) => sum + (isNumber(s.values[i]) ? s.values[i] : 0), 0) * 1e6 / lengths[i]),
  };
}

export const GBPS = 8e-3;  // bytes per microsecond to gigabits per second

function packetRates(series) {
  const lines = [
    { name: 'offered', colour: 'line-3', values: series.rate('packets', 'offered') },
    { name: 'delivered', colour: 'line-1', values: series.rate('packets', 'delivered') },
  ];
  if (series.group('dropped').length > 0) lines.push({ name: 'dropped', colour: 'worse', values: series.sumRate('dropped') });
  return lines;
}

function dataRates(series) {
  const lines = [
    { name: 'offered', colour: 'line-3', values: series.rate('bytes', 'offered', GBPS) },
    { name: 'delivered', colour: 'line-1', values: series.rate('bytes', 'delivered', GBPS) },
  ];
  if (series.has('bytes', 'read by processes')) {
    lines.push({ name: 'read by processes', colour: 'line-2', values: series.rate('bytes', 'read by processes', GBPS) });
  }
  return lines;
}

const COLOURS = ['line-1', 'line-2', 'line-4', 'line-3', 'line-5', 'line-6'];

export function timeline(report) {
  const series = seriesOf(report);
  if (series === null) return missing(MISSING);
  const one = (lines) => [{ start: series.start, ends: series.ends, lines }];
  const measured = report.result.window.start_ps;
  const busy = series.group('busy').filter((s) => s.values.some((value) => value > 0.005));
  return [
    el('div', { class: 'charts' },
      stepChart({ measured, title: 'Packets', unit: 'Mpps', runs: one(packetRates(series)) }),
      stepChart({ measured, title: 'Data', unit: 'Gbps', runs: one(dataRates(series)) }),
      stepChart({ measured, title: 'Completions that the driver has not read', unit: 'entries', runs: one([
        { name: 'ring', colour: 'line-1', values: series.mean('level', 'completions not read') }]) }),
      stepChart({ measured, title: 'Packets inside the device', unit: 'packets', runs: one([
        { name: 'device', colour: 'line-1', values: series.mean('level', 'packets in the device') }]) }),
      stepChart({ measured, title: 'Busy share of core, wire, fabric and memory', unit: '%', most: 105,
        runs: one(busy.map((s, i) => ({ name: s.name, colour: COLOURS[i % COLOURS.length], dashed: i >= COLOURS.length,
          values: s.values.map((share) => share * 100) }))) }),
      stepChart({ measured, title: 'Interrupts', unit: 'per ms', runs: one([
        { name: 'interrupts', colour: 'line-1', values: series.rate('events', 'interrupts', 1e3) }]) })),
    el('p', { class: 'note' }, `Means over ${series.ends.length} intervals, from the link coming up to the end of the run. ` +
      'Shaded: before the measured window.'),
  ];
}

const RUNS = [['A', 'line-3'], ['B', 'line-1']];

/** The same of two runs: both from their link coming up. */
export function timelines(reports) {
  const all = reports.map(seriesOf);
  if (all.some((series) => series === null)) return missing(`At least one of the runs has none. ${MISSING}`);
  const chart = (title, unit, values) => stepChart({
    title, unit, measured: 0,
    runs: all.map((series, i) => ({
      start: 0, ends: series.ends.map((end) => end - series.start),
      lines: [{ name: RUNS[i][0], colour: RUNS[i][1], values: values(series) }],
    })),
  });
  return [
    el('div', { class: 'charts' },
      chart('Delivered packets', 'Mpps', (s) => s.rate('packets', 'delivered')),
      chart('Dropped packets', 'Mpps', (s) => s.sumRate('dropped')),
      chart('Completions that the driver has not read', 'entries', (s) => s.mean('level', 'completions not read')),
      chart('Packets inside the device', 'packets', (s) => s.mean('level', 'packets in the device')),
      chart('Busy share of the core that boots', '%',
        (s) => s.mean('busy', s.group('busy').some((one) => one.name === 'core') ? 'core' : 'core0').map((share) => share * 100)),
      chart('Interrupts', 'per ms', (s) => s.rate('events', 'interrupts', 1e3))),
    el('p', { class: 'note' }, 'From the link coming up to the end of each run, warm-up included.'),
  ];
}
