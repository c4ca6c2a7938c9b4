// The page of two runs beside each other. Changes are from the first one, A, to the second one, B.
import { el, leftOut, missing } from './dom.js';
import { differenceTree, flameGraph, PATHS } from './flame.js';
import * as differences from './parts/differences.js';
import { timelines } from './parts/timeline.js';

const VERDICTS = {
  'same behaviour': 'Same behaviour: both runs had the same events at the same times.',
  'timing moved': 'Timing moved: the same code ran, and packets met the same kinds of fate.',
  'behaviour changed': 'Behaviour changed: other code ran, or packets were lost for other causes.',
};

function verdict({ verdict: word, reasons }) {
  return el('div', { class: 'verdict', id: 'verdict' }, el('strong', {}, VERDICTS[word] ?? word),
    reasons.length > 0 && el('ul', {}, reasons.map((reason) => el('li', {}, reason))));
}

function flame(reports, openCode) {
  if (reports.some((report) => !report.guest.stacks?.length)) {
    return missing('There is no difference of call stacks: at least one report is older than they are.');
  }
  return [flameGraph(differenceTree(...reports), { difference: true, openCode }),
    el('p', { class: 'note' }, 'As wide as B spends cycles per packet; what only A has keeps its width there. ',
      el('span', { class: 'worse' }, 'Red'), ' costs more in B, ', el('span', { class: 'better' }, 'green'), ' less, grey the same.'),
  reports.map((report) => leftOut(report, 'stacks', PATHS))];
}

export function comparisonPage({ comparison, reports }) {
  const [a, b] = comparison.runs;
  let functions = { open: () => {} };
  return {
    title: `${a.file} and ${b.file}`,
    description: a.scenario === b.scenario ? a.scenario : `${a.scenario} and ${b.scenario}`,
    about: differences.about(comparison),
    sections: [
      { id: 'result', title: 'Result', build: () => [differences.alarms(reports), verdict(comparison), differences.headline(comparison)] },
      { id: 'limits', title: 'What limits the runs', short: 'Limits', build: () => differences.limits(reports) },
      { id: 'time', title: 'Over time', build: () => timelines(reports) },
      { id: 'latency', title: 'Latency', build: () => differences.latency(reports) },
      { id: 'stalls', title: 'Where cycles go', short: 'Cycles', build: () => differences.stalls(comparison) },
      { id: 'flames', title: 'Differential flame graph', short: 'Flame graph', build: () => flame(reports, (name) => functions.open(name)) },
      { id: 'functions', title: 'Functions', build: () => {
        functions = differences.functions(comparison, reports);
        return functions.element;
      } },
      { id: 'packets', title: 'Lost packets', short: 'Packets', build: () => differences.drops(comparison) },
      { id: 'counters', title: 'Counters that differ', short: 'Counters', build: () => differences.counters(comparison) },
      { id: 'config', title: 'Parameters that differ', short: 'Parameters', build: () => differences.configuration(comparison) },
    ],
  };
}
