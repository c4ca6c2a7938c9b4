// Annotated machine code: each instruction with its cycles, below the source line that it comes from.
import { el, missing, text } from '../dom.js';
import { fixed, isNumber, percent } from '../format.js';

// Rows of a report's profile are arrays; `columns` names their elements.
const objects = (columns, rows) => rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));

// "l2", or "l2 60 %" where that is not nearly all.
function mostlyOn({ stalls, cycles }) {
  const [most] = Object.entries(stalls ?? {}).sort((a, b) => b[1] - a[1]);
  if (most === undefined || !(cycles > 0)) return '';
  return most[1] >= cycles * 0.95 ? most[0] : `${most[0]} ${percent(most[1] / cycles, 0)}`;
}

// What went past the caches and the predictor, as shares of the executions.
function misses(instruction) {
  const { executed } = instruction;
  const all = [['l1_misses', 'miss L1'], ['l2_misses', 'L2'], ['llc_misses', 'LLC'], ['mispredicts', 'mispredicted']];
  return all.filter(([key]) => instruction[key] > 0 && executed > 0)
    .map(([key, what]) => `${percent(instruction[key] / executed, 1)} ${what}`).join(', ');
}

const fileName = (path) => text(path).split('/').at(-1);

function sourceRow(place, files) {
  const inlined = place.inlined ? `  ${text(place.inlined)}()` : '';
  return el('tr', { class: 'source' }, el('td', { colspan: 5 }),
    el('td', { colspan: 2 }, el('span', { class: 'place' }, `${fileName(files[place.file])}:${place.line}${inlined}`), text(place.text).trim()));
}

// The bar behind the share is as long as the cell for the hottest instruction of the function.
function instructionRow(instruction, { total, most }, packets) {
  const { cycles, executed } = instruction;
  const heat = el('td', { class: 'number heat', style: { '--share': `${cycles > 0 ? cycles / most * 100 : 0}%` } },
    cycles > 0 ? percent(cycles / total) : '');
  const address = isNumber(instruction.address) ? instruction.address.toString(16) : '';
  return el('tr', { class: 'instruction' }, heat,
    el('td', { class: 'number' }, cycles > 0 ? fixed(cycles / packets) : ''),
    el('td', { class: 'number' }, fixed(executed / packets)),
    el('td', { class: 'faint' }, mostlyOn(instruction)),
    el('td', { class: 'number faint' }, address),
    el('td', {}, text(instruction.text)),
    el('td', { class: 'faint' }, misses(instruction)));
}

function listing(instructions, places, files, packets) {
  const cycles = instructions.map((i) => (isNumber(i.cycles) ? i.cycles : 0));
  const sums = { total: cycles.reduce((sum, some) => sum + some, 0), most: cycles.reduce((most, some) => Math.max(most, some), 0) };
  const rows = [];
  let before = null;
  for (const instruction of instructions) {
    const gap = before !== null && before.address + before.bytes !== instruction.address;
    if (gap) rows.push(el('tr', { class: 'gap' }, el('td', { colspan: 5 }), el('td', { colspan: 2 }, '...')));
    const place = places[instruction.place];
    if (place !== undefined && (gap || before === null || before.place !== instruction.place)) rows.push(sourceRow(place, files));
    rows.push(instructionRow(instruction, sums, packets));
    before = instruction;
  }
  const heads = ['Share', 'Cycles/packet', 'Runs/packet', 'Mostly on', 'Address', 'Source and instructions', ''];
  return el('div', { class: 'listing' }, el('table', {},
    el('thead', {}, el('tr', {}, heads.map((head, i) => el('th', { class: i < 3 || i === 4 ? 'number' : undefined }, head)))), el('tbody', {}, rows)));
}

/** Gives the code of a function of the report by name. */
export function codeOf(report) {
  const { profile } = report.guest;
  const packets = report.result.window.packets || 1;
  return (name) => {
    if (!Array.isArray(profile?.functions)) return missing('This report has no instructions: it is older than they are.');
    const found = profile.functions.find((f) => f.name === name);
    if (found === undefined) return missing('This function\u2019s instructions are not in the report: it took too little time.');
    return listing(objects(profile.columns, found.instructions), objects(profile.place_columns, profile.places), profile.files, packets);
  };
}
