// The page of one report.
import { codeOf } from './parts/code.js';
import * as costs from './parts/costs.js';
import * as facts from './parts/facts.js';
import * as headline from './parts/headline.js';
import { timeline } from './parts/timeline.js';
import { leftOut, missing } from './dom.js';
import { flameGraph, flameTree, PATHS } from './flame.js';

function flame(report, openCode) {
  if (!report.guest.stacks?.length) return missing('This report has no call stacks: it is older than they are.');
  return [flameGraph(flameTree(report), { openCode }), leftOut(report, 'stacks', PATHS)];
}

export function reportPage(report) {
  let functions = { open: () => {} };
  return {
    title: report.scenario.name,
    description: report.scenario.description,
    about: headline.about(report),
    sections: [
      { id: 'result', title: 'Result', build: () => [headline.alarms(report), headline.figures(report), headline.verdict(report)] },
      { id: 'limits', title: 'What limits the run', short: 'Limits', build: () => headline.resources(report) },
      { id: 'time', title: 'Over time', build: () => timeline(report) },
      { id: 'latency', title: 'Latency', build: () => costs.latency(report) },
      { id: 'stalls', title: 'Where cycles go', short: 'Cycles', build: () => costs.stalls(report) },
      { id: 'flames', title: 'Flame graph', build: () => flame(report, (name) => functions.open(name)) },
      { id: 'functions', title: 'Functions', build: () => {
        functions = costs.functions(report, codeOf(report));
        return functions.element;
      } },
      { id: 'packets', title: 'Packets', build: () => [headline.packets(report), headline.uses(report)] },
      { id: 'counters', title: 'Counters', build: () => facts.counters(report) },
      { id: 'config', title: 'Configuration', build: () => facts.configuration(report) },
    ],
  };
}
