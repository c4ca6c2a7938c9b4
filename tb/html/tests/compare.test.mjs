// The page of two runs.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { copy, file, launch, open, ringside, run, write } from './support.mjs';

let browser;
let reports;
before(async () => {
  reports = [run('before.json', 'mlx5e-xdp-drop'), run('after.json', 'mlx5e-xdp-drop-zeroed')];
  ringside('compare', 'before.json', 'after.json', '--format', 'html', '--out', 'change.html');
  browser = await launch();
});
after(() => browser?.close());

test('it opens from disk without a complaint and shows both runs', async () => {
  const page = await open(browser, 'change.html');
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.$$eval('.missing', (all) => all.map((m) => m.textContent)), []);
  const rate = await page.$$eval('#headline tbody tr:first-child td', (cells) => cells.map((cell) => cell.textContent));
  assert.deepEqual(rate.slice(0, 3), ['packet rate', ...reports.map((r) => r.result.mpps.toFixed(2))]);
  assert.match(rate[3], /^\u2212\d+\.\d\s%$/);
  assert.match(await page.textContent('#verdict'), /Behaviour changed/);
  assert.equal(await page.locator('#time canvas').count(), 6);
  assert.ok(statSync(file('change.html')).size < 5e6);
});

test('the differential flame graph has what either run spent, and zooms', async () => {
  const page = await open(browser, 'change.html');
  const cycles = reports.map((r) => r.guest.cycles_per_packet);
  const [, from, to] = (await page.textContent('#flame-detail')).match(/^all: ([\d.]+) \u2192 ([\d.]+) cycles/);
  assert.ok(Math.abs(Number(from) - cycles[0]) < 0.02 && Math.abs(Number(to) - cycles[1]) < 0.02, `${from} ${to} ${cycles}`);
  const frames = await page.$$eval('#flame .frame', (all) => all.map((g) => ({ name: g.getAttribute('name'), fill: g.querySelector('rect').getAttribute('fill') })));
  assert.ok(new Set(frames.map((f) => f.fill)).size > 3, 'shades say how much a frame changed');
  const names = await page.$$eval('#flame .frame', (all) => all.map((g) => [g.getAttribute('name'), g.querySelector('rect').getBoundingClientRect().width]));
  const [name, width] = names.filter(([, w]) => w > 40 && w < names[0][1] * 0.6).sort((a, b) => b[1] - a[1])[0];
  await page.locator(`#flame .frame[name="${name}"]`).first().click();
  await page.waitForFunction(([n, w]) => document.querySelector(`#flame .frame[name="${n}"] rect`).getBoundingClientRect().width > w * 1.2, [name, width]);
  await page.click('#flame-reset');
});

// handle runs in both, early in the first only, late in the second only.
test('frames of one run only are there, red and green', async () => {
  const stacks = [[['loop', 'handle'], 100], [['loop', 'early'], 50]];
  const [one, other] = reports.map(copy);
  const packets = one.result.window.packets;
  one.guest.stacks = stacks.map(([stack, cycles]) => ({ stack, cycles: cycles * packets, instructions: 1 }));
  other.guest.stacks = [[['loop', 'handle'], 100], [['loop', 'late'], 50]].map(([stack, cycles]) =>
    ({ stack, cycles: cycles * other.result.window.packets, instructions: 1 }));
  write('one.json', one);
  write('other.json', other);
  ringside('compare', 'one.json', 'other.json', '--format', 'html', '--out', 'stacks.html');
  const page = await open(browser, 'stacks.html');
  const fill = async (name) => (await page.locator(`#flame .frame[name="${name}"] rect`).getAttribute('fill')).match(/\d+/g).map(Number);
  const [late, early, handle] = [await fill('late'), await fill('early'), await fill('handle')];
  assert.ok(late[0] > late[1] + 20 && late[0] > late[2] + 20, `late is red: ${late}`);
  assert.ok(early[1] > early[0] + 20, `early is green: ${early}`);
  assert.ok(Math.max(...handle) - Math.min(...handle) < 20, `handle is grey: ${handle}`);
  await page.locator('#flame .frame[name="early"]').hover();
  assert.match(await page.textContent('#flame-detail'), /^early: 50\.00 \u2192 0\.00 cycles per packet, \u221250\.00$/);
});

test('a function opens the code of both runs', async () => {
  const page = await open(browser, 'change.html');
  await page.locator('#function-table tr.opens').first().click();
  assert.equal(await page.locator('#function-table .listing').count(), 2);
});

test('it is about two runs', () => {
  assert.throws(() => ringside('compare', 'before.json', 'after.json', 'after.json', '--format', 'html', '--out', 'three.html'),
    (error) => error.status === 2 && /3 reports with --format html; two are allowed/.test(error.stderr));
});
