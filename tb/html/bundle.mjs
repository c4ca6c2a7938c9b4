// Makes the page of the report: one HTML file with style and program inside, and a place for the report.
// node bundle.mjs MODULES OUTPUT: MODULES is the node_modules folder that npm ci filled, OUTPUT the folder to write to.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(modules, 'of-ringside.js'));

// The text of src/`entry` with everything that it imports, for browsers of the last years.
function bundle(entry) {
  const result = require('esbuild').buildSync({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['es2020', 'chrome90', 'firefox90', 'safari15'],
    legalComments: 'none',
    charset: 'ascii',
    write: false,
    metafile: true,
    absWorkingDir: modules,
    loader: entry.endsWith('.js') ? { '.css': 'empty' } : {},  // src/style.css says what is wanted of it
    logLevel: 'warning',
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

// Name, version and licence text of every package that a bundle took something from.
function licences(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const path = resolve(modules, input);
    if (!path.startsWith(modules)) continue;
    const parts = path.slice(modules.length + 1).split('/');
    packages.add(parts[0].startsWith('@') ? `${parts[0]}/${parts[1]}` : parts[0]);
  }
  return [...packages].sort().map((name) => {
    const folder = join(modules, name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  });
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const program = bundle('main.js');
const style = bundle('style.css');
// Inside <script> and in a comment these would end what they are in.
if (/<\/script|<!--/i.test(program.text)) throw new Error('the program has text in it that ends a script element');
const notice = licences([...program.inputs, ...style.inputs]).join(`\n${'-'.repeat(78)}\n\n`);
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('@POLICY@', () => `default-src 'none'; script-src ${hash(program.text)}; style-src ${hash(style.text)}; ` +
    "base-uri 'none'; form-action 'none'")
  .replace('@LICENCES@', () => notice.replaceAll('--', '- -'))
  .replace('@STYLE@', () => style.text)
  .replace('@PROGRAM@', () => program.text);
mkdirSync(output, { recursive: true });
writeFileSync(join(output, 'page.html'), page);
writeFileSync(join(output, 'licences.txt'), notice);
