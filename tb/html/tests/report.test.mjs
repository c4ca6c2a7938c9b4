// The page of one report, as a person uses it.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { copy, file, launch, open, pageOf, ringside, run } from './support.mjs';

let browser;
let report;
before(async () => {
  report = run('drop.json', 'mlx5e-xdp-drop', '--html', 'drop.html');
  browser = await launch();
});
after(() => browser?.close());

const SECTIONS = ['result', 'limits', 'time', 'latency', 'stalls', 'flames', 'functions', 'packets', 'counters', 'config'];

test('it opens from disk without a complaint and loads nothing', async () => {
  const page = await open(browser, 'drop.html');
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.$$eval('main > section', (all) => all.map((s) => s.id)), SECTIONS);
  assert.equal(await page.title(), 'mlx5e-xdp-drop \u2013 Ringside');
  assert.deepEqual(await page.$$eval('.missing', (all) => all.map((m) => m.textContent)), []);
  assert.ok(statSync(file('drop.html')).size < 5e6);
});

test('run and report write the same page', () => {
  ringside('report', 'drop.json', '--html', '--out', 'again.html');
  assert.equal(statSync(file('again.html')).size, statSync(file('drop.html')).size);
});

test('the headline and the limit are those of the report', async () => {
  const page = await open(browser, 'drop.html');
  const first = report.result.limits[0];
  const bound = report.result.bounds.find((b) => b.resource === first.resource);
  assert.match(await page.textContent('.figure.first .value'), new RegExp(`^${report.result.mpps.toFixed(2)}\\s+Mpps$`));
  const verdict = await page.textContent('#verdict');
  assert.ok(verdict.includes(first.resource) && verdict.includes(bound.arithmetic) && verdict.includes(bound.mpps.toFixed(bound.mpps < 10 ? 3 : 2)), verdict);
  assert.equal(await page.$$eval('#limits tbody tr', (rows) => rows.length),
    new Set([...report.result.limits, ...report.result.bounds].map((l) => l.resource)).size);
});

test('charts are drawn, and their cursors move together', async () => {
  const page = await open(browser, 'drop.html');
  assert.equal(await page.$$eval('#time canvas', (all) => all.length), 6);
  const inked = await page.$$eval('#time canvas', (all) => all.map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((byte) => byte !== 0);
  }));
  assert.deepEqual(inked, Array(6).fill(true));
  const plot = await page.$('#time .u-over');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const times = await page.$$eval('#time .u-legend .u-series:first-child .u-value', (all) => all.map((v) => v.textContent));
  assert.equal(times.length, 6);
  assert.match(times[0], /\d.* (ps|ns|\u00b5s|ms|s)$/);
  assert.equal(new Set(times).size, 1);
});

test('the flame graph zooms on a click, and back', async () => {
  const page = await open(browser, 'drop.html');
  const whole = await page.$$eval('#flame .frame', (all) =>
    Object.fromEntries(all.map((g) => [g.getAttribute('name'), g.querySelector('rect').getBoundingClientRect().width])));
  const full = whole.all;
  const [narrow, width] = Object.entries(whole).filter(([, w]) => w > 40 && w < full * 0.6).sort((a, b) => b[1] - a[1])[0];
  assert.ok(await page.isHidden('#flame-reset'));
  const frame = page.locator(`#flame .frame[name="${narrow}"]`).first();
  await frame.click();
  await page.waitForFunction(([name, w]) => document.querySelector(`#flame .frame[name="${name}"] rect`).getBoundingClientRect().width > w,
    [narrow, full * 0.98]);
  assert.ok(await page.isVisible('#flame-reset'));
  await page.click('#flame-code');
  const opened = page.locator('#function-table tr[aria-expanded="true"] td:first-child');
  assert.equal(await opened.textContent(), narrow);
  assert.ok(await page.locator('#function-table tr.detail').isVisible());
  await page.click('#flame-reset');
  await page.waitForFunction(([name, w]) => Math.abs(document.querySelector(`#flame .frame[name="${name}"] rect`).getBoundingClientRect().width - w) < 2,
    [narrow, width]);
  assert.ok(await page.isHidden('#flame-reset'));
  assert.deepEqual(page.complaints, []);
});

test('the flame graph highlights what is searched for, and says how much that is', async () => {
  const page = await open(browser, 'drop.html');
  const colours = () => page.$$eval('#flame .frame rect', (all) => all.map((rect) => rect.getAttribute('fill')));
  const plain = await colours();
  await page.fill('#flame-search', 'poll_rx_cq(');
  assert.match(await page.textContent('#flame-detail'), /^highlighted: 0\.00 cycles/);
  await page.fill('#flame-search', 'POLL_RX_CQ');
  assert.match(await page.textContent('#flame-detail'), /^highlighted: [1-9][\d.]* cycles per packet, [\d.]+\s%$/);
  assert.notDeepEqual(await colours(), plain);
  await page.fill('#flame-search', '');
  assert.deepEqual(await colours(), plain);
});

test('a function opens its code, by mouse and by keyboard', async () => {
  const page = await open(browser, 'drop.html');
  const first = page.locator('#function-table tr.opens').first();
  await first.click();
  assert.equal(await first.getAttribute('aria-expanded'), 'true');
  const hottest = report.guest.functions[0].name;
  const profiled = report.guest.profile.functions.find((f) => f.name === hottest);
  assert.equal(await page.locator('#function-table .listing tr.instruction').count(), profiled.instructions.length);
  await first.press('Enter');
  assert.equal(await page.locator('#function-table .listing').count(), 0);
});

test('search filters counters by every word of it', async () => {
  const page = await open(browser, 'drop.html');
  const rows = () => page.$$eval('#counter-table tbody tr', (all) => all.map((row) => row.textContent));
  await page.fill('#counter-table input', 'rx_out_of_buffer');
  const found = await rows();
  assert.ok(found.length >= 1 && found.every((row) => row.includes('rx_out_of_buffer')), found.join('\n'));
  await page.fill('#counter-table input', 'nic BYTES phy');
  assert.ok((await rows()).every((row) => row.startsWith('nic') && /bytes/.test(row)));
  await page.fill('#counter-table input', 'no such counter');
  assert.deepEqual(await rows(), []);
  assert.match(await page.textContent('#counter-table .count'), /^0 of \d+$/);
  await page.fill('#counter-table input', '');
  await page.selectOption('#counter-table select', 'core');
  const core = await rows();
  assert.equal(core.length, Object.keys(report.counters.core).length);
});

test('the configuration has every parameter with where it comes from', async () => {
  const page = await open(browser, 'drop.html');
  await page.click('#config-table .more');
  assert.equal(await page.$$eval('#config-table tbody tr', (rows) => rows.length), Object.keys(report.config).length);
  await page.fill('#config-table input', 'run.packets');
  const row = await page.textContent('#config-table tbody tr');
  assert.match(row, /run\.packets8000 packets?command line--set/);
});

test('a table keeps what is open when it is sorted or searched', async () => {
  const page = await open(browser, 'drop.html');
  await page.locator('#function-table tr.opens').first().click();
  const name = await page.textContent('#function-table tr[aria-expanded="true"] td:first-child');
  await page.locator('#function-table th button', { hasText: 'Function' }).click();
  await page.fill('#function-table input', name);
  assert.equal(await page.locator('#function-table tr[aria-expanded="true"] + tr.detail').count(), 1);
  await page.locator('#function-table tr[aria-expanded="true"]').first().click();
  assert.equal(await page.locator('#function-table tr.detail').count(), 0);
});

test('tables sort by a click on their head', async () => {
  const page = await open(browser, 'drop.html');
  const names = () => page.$$eval('#function-table tbody tr td:first-child', (all) => all.map((cell) => cell.textContent));
  await page.locator('#function-table th button', { hasText: 'Function' }).click();
  const down = await names();
  await page.locator('#function-table th button', { hasText: 'Function' }).click();
  assert.deepEqual(await names(), [...down].reverse());
});

test('a report without the newer blocks says so and shows the rest', async () => {
  const old = copy(report);
  delete old.timeline;
  delete old.guest.stacks;
  delete old.guest.profile;
  delete old.result.bounds;
  delete old.latency.stages;
  const page = await open(browser, pageOf('old', old));
  assert.deepEqual(page.complaints, []);
  for (const id of ['limits', 'time', 'latency', 'flames']) assert.equal(await page.locator(`#${id} .missing`).count(), 1, id);
  await page.locator('#function-table tr.opens').first().click();
  assert.equal(await page.locator('#function-table .detail .missing').count(), 1);
  assert.ok(await page.locator('#counters tbody tr').count() > 10);
});

test('a run that broke says so first', async () => {
  const broken = copy(report);
  Object.assign(broken.result, { stop_reason: 'error', error: 'at 1.0 us: core0: the guest faulted' });
  broken.result.window.packets = 0;
  broken.guest.functions = [];
  broken.guest.stacks = [];
  broken.latency = { ...broken.latency, packets: 0 };
  const page = await open(browser, pageOf('broken', broken));
  assert.deepEqual(page.complaints, []);
  assert.match(await page.textContent('.alarm'), /the guest faulted/);
});
