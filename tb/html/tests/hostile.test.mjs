// Nothing that a report says becomes markup or runs, whatever the field.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { copy, file, launch, open, pageOf, ringside, run, write } from './support.mjs';

const ATTACKS = [
  '</script><script>window.pwned=1</script>',
  '<img src=x onerror=window.pwned=1>',
  'javascript:window.pwned=1',
  '"><svg onload=window.pwned=1>',
  '\'"--><script src=https://example.invalid/x.js></script>',
  '<!--<script>',
  '\u2028window.pwned=1\u2029\u202e<iframe srcdoc="<script>parent.pwned=1</script>">',
  ']]><style>*{background:url(https://example.invalid/x)}</style>',
];
const KEPT = new Set(['schema', 'columns', 'place_columns']);

// Every string, and every key that is not of the format itself, carries an attack.
function poison(report) {
  let next = 0;
  const attack = () => `${ATTACKS[next % ATTACKS.length]}${next++}`;
  const poisonKeys = (object) => Object.fromEntries(Object.entries(object).map(([, value]) => [attack(), walk(value)]));
  function walk(value, key = '') {
    if (KEPT.has(key)) return value;
    if (typeof value === 'string') return attack();
    if (Array.isArray(value)) return value.map((element) => walk(element));
    if (value === null || typeof value !== 'object') return value;
    if (key === 'counters') return Object.fromEntries(Object.values(value).map((group) => [attack(), poisonKeys(group)]));
    if (['config', 'dropped', 'ended', 'stalls'].includes(key)) return poisonKeys(value);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member, name)]));
  }
  return walk(report);
}

let browser;
let report;
before(async () => {
  report = run('drop.json', 'mlx5e-xdp-drop');
  report.result.error = 'x';
  report.result.stale_loads = [{ at_ps: 1, address: 2, line: 0, where: 'x' }];
  report.result.packets.dropped.x = 1;
  browser = await launch();
});
after(() => browser?.close());

async function expectHarmless(page) {
  for (const row of await page.locator('tr.opens').all()) await row.click();
  for (const frame of await page.locator('#flame .frame').all()) await frame.hover({ force: true, timeout: 2000 }).catch(() => {});
  const more = page.locator('button.more:visible');
  while (await more.count() > 0) await more.first().click();
  await page.waitForTimeout(200);
  assert.deepEqual(page.complaints, []);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 2);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, embed, link, base, form, svg[onload]').length), 0);
  assert.deepEqual(await page.$$eval('a', (all) => all.map((a) => a.getAttribute('href')).filter((href) => !href.startsWith('#'))), []);
  const text = await page.textContent('body');
  assert.ok(text.includes('<img src=x onerror=window.pwned=1>'), 'attacks are shown as what they are');
  assert.ok(!/[\u2028\u2029\u202e]/.test(await page.textContent('main')), 'direction marks are spelled out');
}

test('a report that attacks in every string', async () => {
  const page = await open(browser, pageOf('hostile', poison(copy(report))));
  assert.ok(await page.locator('main section').count() === 10);
  await expectHarmless(page);
});

test('a comparison of two such reports, from files with such names', async () => {
  const names = ['<img src=x onerror=window.pwned=1>.json', '"><svg onload=window.pwned=1>.json'];
  for (const name of names) write(name, poison(copy(report)));
  ringside('compare', ...names, '--format', 'html', '--out', 'hostile-compare.html');
  await expectHarmless(await open(browser, 'hostile-compare.html'));
});

test('no tag of a report reaches the file', () => {
  const page = readFileSync(file('hostile.html'), 'utf8');
  const data = page.slice(page.indexOf('id="report">') + 12, page.indexOf('</script>', page.indexOf('id="report">')));
  assert.ok(data.length > 10_000);
  assert.ok(!/[<>&\u0080-\uffff]/.test(data));
});

test('the policy stops what would run all the same', async () => {
  const page = await open(browser, 'hostile.html');
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.pwned = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=1">');
  });
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.ok(page.complaints.some((complaint) => /Content Security Policy/.test(complaint)));
});

// C++ checks what it reads; the newer blocks it passes on as they are.
test('blocks of a wrong shape spoil their own part only', async () => {
  const odd = copy(report);
  odd.timeline = { start_ps: 'x', end_ps: [[]], series: [{}, null, { group: 'busy', values: 7 }] };
  odd.guest.stacks = [null, { stack: 'x', cycles: '1' }, { stack: [{}, null, ['x']], cycles: -5 }];
  odd.result.bounds = [{ resource: {}, mpps: 'x' }];
  odd.uses = [{ share: '<b>' }];
  odd.latency.stages = [{ name: [] }];
  odd.config['x.y'] = { value: { toString: 1 }, from: 'default' };
  const page = await open(browser, pageOf('odd', odd));
  assert.ok(page.complaints.every((complaint) => !complaint.startsWith('error')), page.complaints.join('\n'));
  assert.ok(await page.locator('#counters tbody tr').count() > 10);
});
