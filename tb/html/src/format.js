// Numbers as a person reads them. Whatever is no number gives an en dash.

const NOTHING = '\u2013';
const MINUS = '\u2212';

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** With `digits` decimals, thousands grouped. */
export function fixed(value, digits = 2) {
  if (!isNumber(value)) return NOTHING;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', MINUS);
}

/** A packet rate in Mpps. */
export const rate = (mpps) => fixed(mpps, mpps < 10 ? 3 : 2);

/** A whole number, thousands grouped. Above 2^53 the last digits are not known here. */
export function whole(value) {
  if (!isNumber(value)) return NOTHING;
  return (Number.isSafeInteger(value) ? '' : '\u2248 ') + fixed(value, 0);
}

/** Three or four digits that matter, however large the number is. */
export function short(value) {
  if (!isNumber(value)) return NOTHING;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e15 || size < 1e-4) return value.toExponential(2).replace('-', MINUS);
  return fixed(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

/** 0.4831 as "48.3 %". */
export const percent = (share, digits = 1) => (isNumber(share) ? `${fixed(share * 100, digits)}\u00a0%` : NOTHING);

/** A change with its sign; "0" where there is none. */
export function signed(value, digits = 2) {
  if (!isNumber(value)) return NOTHING;
  const shown = fixed(Math.abs(value), digits);
  if (Number(shown.replaceAll(',', '')) === 0) return shown;
  return (value < 0 ? MINUS : '+') + shown;
}

/** The relative change from `before` to `after`. */
export function change(before, after) {
  if (!isNumber(before) || !isNumber(after)) return NOTHING;
  if (before === after) return '=';
  return before === 0 ? 'new' : `${signed((after / before - 1) * 100, 1)}\u00a0%`;
}

const TIMES = [['s', 1e12], ['ms', 1e9], ['\u00b5s', 1e6], ['ns', 1e3], ['ps', 1]];

/** Name and size in picoseconds of the unit in which a time is read best. */
export const timeUnit = (ps) => TIMES.find(([, size]) => Math.abs(ps) >= size) ?? TIMES.at(-1);

/** Picoseconds with a fitting unit. */
export function time(ps) {
  if (!isNumber(ps)) return NOTHING;
  const [name, size] = timeUnit(ps);
  return `${short(ps / size)}\u00a0${name}`;
}
