// Light or dark: as the system says, or as the reader does.
import { el } from './dom.js';

const CHOICES = ['auto', 'light', 'dark'];
const listeners = [];

/** Calls `draw` whenever colours change: canvases do not follow the style sheet. */
export const onTheme = (draw) => listeners.push(draw);

/** The value of a colour of the style sheet. */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const dark = matchMedia('(prefers-color-scheme: dark)');

function apply(choice) {
  const theme = choice === 'auto' ? (dark.matches ? 'dark' : 'light') : choice;
  document.documentElement.setAttribute('data-theme', theme);
  for (const draw of listeners) draw();
}

/** The button that goes through the choices. */
export function themeButton() {
  let chosen = 0;
  const name = () => `Theme: ${CHOICES[chosen]}`;
  const button = el('button', { type: 'button', class: 'quiet', id: 'theme', on: { click: next } }, name());
  function next() {
    chosen = (chosen + 1) % CHOICES.length;
    button.textContent = name();
    apply(CHOICES[chosen]);
  }
  dark.addEventListener('change', () => apply(CHOICES[chosen]));
  apply(CHOICES[chosen]);
  return button;
}
