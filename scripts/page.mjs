/**
 * Makes style and script of HTML reports in a built folder: `node scripts/page.mjs FOLDER`.
 * The modules of `show/html/client/` become one classic script, so that a page holds it in one element and the product
 * needs no bundler; the page's style is joined with that of the chart library, and with the font, so that a page looks alike
 * wherever it is opened.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const html = path.resolve(process.argv[2], 'show', 'html')
const sources = ['page.css', 'parts/parts.css', 'parts/fabric.css', 'print.css'].map((name) =>
  fileURLToPath(new URL(`../src/show/html/${name}`, import.meta.url)),
)
const bundle = await rolldown({ input: path.join(html, 'client', 'main.js'), platform: 'browser' })
const { output } = await bundle.generate({ format: 'iife', minify: true })
await bundle.close()
if (output.length !== 1 || output[0].imports.length > 0 || output[0].code.includes('</script')) {
  process.stderr.write('page: the script of reports is not one script that a page can hold\n')
  process.exit(1)
}
/** Colours of figures where the page is dark; on paper it is light. */
const { darkRules } = await import(pathToFileURL(path.join(html, '../figure/drawing/dark-colours.js')))
const dark = `@media screen and (prefers-color-scheme: dark) {\n${darkRules('svg')}\n}`
const { resolve } = createRequire(import.meta.url)
const chartStyle = resolve('uplot/dist/uPlot.min.css')
/** Letters of Western languages; others come from the fonts of the reader's system. */
const font = readFileSync(resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')).toString('base64')
const face = `/* Inter by The Inter Project Authors, SIL Open Font License 1.1 */
@font-face{font-family:'Inter Variable';font-weight:100 900;font-display:block;src:url(data:font/woff2;base64,${font}) format('woff2')}`
writeFileSync(path.join(html, 'page.js'), output[0].code)
writeFileSync(
  path.join(html, 'page.css'),
  [face, readFileSync(chartStyle, 'utf8').trim(), ...sources.map((source) => readFileSync(source, 'utf8')), dark].join(
    '\n',
  ),
)
rmSync(path.join(html, 'client'), { recursive: true })
