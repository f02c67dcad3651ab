/**
 * Makes style and script of HTML reports in a built folder: `node scripts/page.mjs FOLDER`.
 * The modules of `report/html/client/` become one classic script, so that a page holds it in one element and the product
 * needs no bundler; the page's style is joined with that of the chart library.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const html = path.resolve(process.argv[2], 'report', 'html')
const sources = ['page.css', 'parts/parts.css'].map((name) =>
  fileURLToPath(new URL(`../src/report/html/${name}`, import.meta.url)),
)
const bundle = await rolldown({ input: path.join(html, 'client', 'main.js'), platform: 'browser' })
const { output } = await bundle.generate({ format: 'iife', minify: true })
await bundle.close()
if (output.length !== 1 || output[0].imports.length > 0 || output[0].code.includes('</script')) {
  process.stderr.write('page: the script of reports is not one script that a page can hold\n')
  process.exit(1)
}
const chartStyle = createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css')
writeFileSync(path.join(html, 'page.js'), output[0].code)
writeFileSync(
  path.join(html, 'page.css'),
  [readFileSync(chartStyle, 'utf8').trim(), ...sources.map((source) => readFileSync(source, 'utf8'))].join('\n'),
)
rmSync(path.join(html, 'client'), { recursive: true })
