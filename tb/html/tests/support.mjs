// What the tests of the page need: reports, pages made by the program, and a browser to look at them.
// RINGSIDE is the program, CHROMIUM the browser, MODULES the folder node_modules, SCRATCH a folder for files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { RINGSIDE, CHROMIUM, MODULES, SCRATCH } = process.env;
const PATIENCE = 180_000;  // ms; a builder may be busy with much else
mkdirSync(SCRATCH, { recursive: true });

export const file = (name) => join(SCRATCH, name);
export const read = (name) => JSON.parse(readFileSync(file(name), 'utf8'));
export const write = (name, report) => writeFileSync(file(name), JSON.stringify(report));
export const copy = (value) => JSON.parse(JSON.stringify(value));

export const ringside = (...words) => execFileSync(RINGSIDE, words, { cwd: SCRATCH, encoding: 'utf8', stdio: 'pipe' });

/** The report of a short run of `scenario`, made once for all tests of a file. */
export function run(name, scenario, ...words) {
  ringside('run', scenario, '--quiet', '--out', name, '--set', 'run.converge=0', '--set', 'run.packets=8000',
    '--set', 'run.warmup=4000', ...words);
  return read(name);
}

/** Writes a report and its page. Returns the page's name. */
export function pageOf(name, report) {
  write(`${name}.json`, report);
  ringside('report', `${name}.json`, '--html', '--out', `${name}.html`);
  return `${name}.html`;
}

export async function launch() {
  if (!CHROMIUM || !existsSync(CHROMIUM)) throw new Error('no Chromium is installed; `scripts/packages test` installs it');
  const { chromium } = createRequire(join(MODULES, 'of-tests.js'))('playwright-core');
  const asRoot = process.getuid() === 0;  // Chromium refuses its sandbox to root
  return chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: !asRoot });
}

/**
 * Opens a page from disk. `page.complaints` collects errors, console messages, dialogs and every attempt to load anything.
 * `page.cpuSeconds()` is what its main thread has worked so far, however busy the machine is with other things.
 */
export async function open(browser, name, { width = 1280, height = 900, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE);
  context.setDefaultNavigationTimeout(PATIENCE);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  page.cpuSeconds = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration').value;
  };
  const url = `file://${encodeURI(file(name))}`;
  page.complaints = [];
  page.on('console', (message) => page.complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => page.complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== url) page.complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector('main section');
  await page.waitForFunction(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true)))));
  return page;
}
