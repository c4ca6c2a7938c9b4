// Charts over simulated time.
import uPlot from 'uplot';
import { el } from './dom.js';
import { fixed, short, timeUnit } from './format.js';
import { colour, onTheme } from './theme.js';

const HEIGHT = 190;
const together = uPlot.sync('time');  // one cursor for all charts

// Marks of an axis, all with the decimals that their distance asks for.
function marks(ticks) {
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  let digits = 0;
  while (digits < 4 && Math.abs(step - Number(step.toFixed(digits))) > step * 1e-6) ++digits;
  return ticks.map((tick) => fixed(tick, digits));
}

/**
 * A chart of steps. `runs` have `ends` of intervals in ps, the first one beginning at `start`, and `lines` with a `name`, the name
 * of a `colour` of the style sheet and `values` of each interval; they may be `dashed`. `unit` is theirs, and the scale ends at
 * `most` if given. What lies before `measured` (ps) is shaded.
 */
export function stepChart({ title, unit, runs, measured, most }) {
  const [timeName, timeSize] = timeUnit(Math.max(...runs.map((run) => run.ends.at(-1))));
  const box = el('div', { class: 'plot' });
  const figure = el('figure', { class: 'chart' }, el('figcaption', {}, title, el('span', { class: 'unit' }, unit)), box);
  // A step reaches back from the end of its interval.
  const tables = runs.map(({ start, ends, lines }) =>
    [[start, ...ends].map((ps) => ps / timeSize), ...lines.map((line) => [line.values[0], ...line.values])]);
  const data = tables.length === 1 ? tables[0] : uPlot.join(tables);
  const lines = runs.flatMap((run) => run.lines);
  let plot = null;

  function options(width) {
    const grid = { stroke: colour('grid'), width: 1 };
    const axis = { stroke: colour('faint'), grid, ticks: { show: false }, font: `11px ${colour('font')}` };
    return {
      width, height: HEIGHT,
      cursor: { sync: { key: together.key }, points: { size: 5 }, drag: { x: false, y: false } },
      legend: { live: true },
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, most ?? (high > 0 ? high * 1.08 : 1)] } },
      axes: [
        { ...axis, size: 28, gap: 4, values: (_, ticks) => marks(ticks).map((mark) => `${mark} ${timeName}`), space: 90 },
        { ...axis, size: 52, gap: 4, values: (_, ticks) => marks(ticks) },
      ],
      series: [
        { label: 'at', value: (_, t) => (t === null ? '' : `${short(t)} ${timeName}`) },
        ...lines.map((line) => ({
          label: line.name, stroke: colour(line.colour), width: 1.5, dash: line.dashed ? [5, 4] : undefined, spanGaps: true,
          paths: uPlot.paths.stepped({ align: -1 }), points: { show: false },
          value: (_, v) => (v === null || v === undefined ? '' : `${short(v)} ${unit}`),
        })),
      ],
      hooks: { drawClear: [(u) => shade(u, measured / timeSize)] },
    };
  }

  function draw() {
    const width = box.clientWidth;
    if (width === 0) return;
    plot?.destroy();
    plot = new uPlot(options(width), data, box);
  }
  new ResizeObserver(() => {
    if (plot === null) draw();
    else if (plot.width !== box.clientWidth) plot.setSize({ width: box.clientWidth, height: HEIGHT });
  }).observe(box);
  onTheme(draw);
  return figure;
}

// What lies before the measured window.
function shade(plot, until) {
  const { left, top, height } = plot.bbox;
  const width = plot.valToPos(until, 'x', true) - left;
  if (!(width > 0)) return;
  plot.ctx.fillStyle = colour('shade');
  plot.ctx.fillRect(left, top, Math.min(width, plot.bbox.width), height);
}
