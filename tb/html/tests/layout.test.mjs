// How the page looks: on a phone, in the dark, and when a report is large. Leaves screenshots.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { copy, file, launch, open, pageOf, ringside, run } from './support.mjs';

let browser;
let report;
before(async () => {
  report = run('drop.json', 'mlx5e-xdp-drop', '--html', 'layout.html');
  run('zeroed.json', 'mlx5e-xdp-drop-zeroed');
  ringside('compare', 'drop.json', 'zeroed.json', '--format', 'html', '--out', 'layout-compare.html');
  browser = await launch();
});
after(() => browser?.close());

const SIZES = [['phone', 360, 740], ['tablet', 820, 1180], ['desktop', 1280, 900]];

for (const name of ['layout', 'layout-compare']) {
  for (const [size, width, height] of SIZES) {
    for (const colorScheme of ['light', 'dark']) {
      test(`${name} fits a ${size}, ${colorScheme}`, async () => {
        const page = await open(browser, `${name}.html`, { width, height, colorScheme });
        await page.locator('#function-table tr.opens').first().click();
        await page.screenshot({ path: file(`${name}-${size}-${colorScheme}.png`), fullPage: true });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'nothing sticks out');
        assert.deepEqual(page.complaints, []);
      });
    }
  }
}

// Luminance as WCAG 2.2 defines it.
function contrast(one, other) {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

for (const colorScheme of ['light', 'dark']) {
  test(`text can be read, ${colorScheme}`, async () => {
    const page = await open(browser, 'layout.html', { colorScheme });
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(contrast(ground, 'rgb(0,0,0)') < 2, colorScheme === 'dark', `the ground is ${ground}`);
    for (const selector of ['h1', '.about', 'nav a', 'td.faint', '.note', '.figure .unit']) {
      const ink = await page.locator(selector).first().evaluate((element) => getComputedStyle(element).color);
      assert.ok(contrast(ink, ground) >= 4.5, `${selector}: ${ink} on ${ground}`);
    }
  });
}

test('the theme can be chosen', async () => {
  const page = await open(browser, 'layout.html');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click('#theme');
  assert.equal(await ground(), light);
  await page.click('#theme');
  assert.notEqual(await ground(), light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.click('#theme');
  assert.notEqual(await ground(), light);
});

test('a large report stays small enough, and is drawn soon', async () => {
  const large = copy(report);
  const functions = Array.from({ length: 2000 }, (_, i) => `some_function_of_a_large_driver_${i}`);
  large.guest.stacks = Array.from({ length: 4096 }, (_, i) =>
    ({ stack: ['start', ...Array.from({ length: 12 }, (_, depth) => functions[(i * (depth + 1)) % functions.length])], cycles: 1000 + i, instructions: 1 }));
  large.guest.functions = functions.map((name, i) => ({ ...copy(report.guest.functions[0]), name, cycles: 4000 - i }));
  const { instructions } = report.guest.profile.functions[0];
  const text = large.guest.profile.columns.indexOf('text');
  const rows = instructions.slice(0, 20).map((row) => row.map((cell, i) => (i === text ? 'a long instruction '.repeat(15) : cell)));
  large.guest.profile.functions = functions.slice(0, 1000).map((name) => ({ name, instructions: rows }));
  for (let i = 0; i < 1500; ++i) large.counters.nic[`counter_${i}`] = { value: i, unit: 'packets', description: 'One of very many counters.' };
  const page = await open(browser, pageOf('large', large));
  const seconds = await page.cpuSeconds();
  console.log(`${statSync(file('large.json')).size} B of report, ${statSync(file('large.html')).size} B of page, ${seconds} s`);
  assert.ok(statSync(file('large.html')).size <= 5e6);
  assert.ok(seconds > 0 && seconds < 10);
  assert.deepEqual(page.complaints, []);
  assert.match(await page.textContent('#functions'), /left out/);
});
