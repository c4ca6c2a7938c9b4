// Building the page. Whatever comes from a report becomes text, never markup.

// Characters that could reorder or hide what a person reads are spelled out: controls, direction marks, line separators.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const LONGEST = 2000;

/** Anything as text that is safe and not too long to show. */
export function text(value) {
  if (value === null || value === undefined) return '';
  const all = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const short = all.length > LONGEST ? `${all.slice(0, LONGEST)}...` : all;
  return short.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * An element. `attributes`: `class` and other attributes, `on` with listeners, `style` with properties. Children are elements
 * and texts; nothing, false and empty lists are left out.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === 'style') {
      for (const [property, of] of Object.entries(value)) element.style.setProperty(property, of);
    } else {
      element.setAttribute(name, value === true ? '' : text(value));
    }
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false) element.append(text(child));
  }
}

/** A paragraph in place of what a report does not have. */
export const missing = (sentence) => el('p', { class: 'missing' }, sentence);

/** Says that a page has less than the report: `what` in the plural. Nothing if it has all. */
export function leftOut(report, part, what) {
  const count = report.left_out?.[part];
  return count > 0 && el('p', { class: 'note' }, `${count} ${what} were left out: the page would be larger than 5 MB. The report has them.`);
}

/** A horizontal bar that fills `share` (0 to 1) of its width. */
export function bar(share, kind = '') {
  const width = Number.isFinite(share) ? Math.max(0, Math.min(1, share)) * 100 : 0;
  return el('span', { class: `bar ${kind}`, 'aria-hidden': 'true' }, el('span', { style: { width: `${width}%` } }));
}
