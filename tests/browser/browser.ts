/**
 * JavaScript without Node: packs the rooms below the command line into one script, and loads it into a browser.
 * The browser is an installed Chromium: ROCELAB_BROWSER names its executable, or it is searched on the PATH.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Path of a Chromium's executable; undefined if there is none. */
export const BROWSER: string | undefined = process.env['ROCELAB_BROWSER'] ?? onPath(CHROMIUM)
/** Path of a Firefox's executable; undefined if there is none. ROCELAB_FIREFOX names it, or it is searched on the PATH. */
export const FIREFOX: string | undefined = process.env['ROCELAB_FIREFOX'] ?? onPath(['firefox-esr', 'firefox'])

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

/** `page.ts` and its imports as one classic script, and the warnings of the packer. */
export async function packedPage(): Promise<{ code: string; warnings: string[] }> {
  const warnings: string[] = []
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, 'page.ts'),
    platform: 'browser',
    onLog: (_level, log) => void warnings.push(log.message),
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  return { code: output[0].code, warnings }
}

/** Loads the script into a page and returns the text of the page after `rocelabOutcomes(work)` is written to it. */
export function inBrowser(browser: string, code: string, work: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-browser-'))
  try {
    writeFileSync(path.join(folder, 'packed.js'), code)
    writeFileSync(path.join(folder, 'work.js'), `const work = ${JSON.stringify(work)}`)
    writeFileSync(path.join(folder, 'page.html'), PAGE)
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
    const profile = `--user-data-dir=${path.join(folder, 'profile')}`
    const dom = execFileSync(
      browser,
      [...flags, profile, '--dump-dom', pathToFileURL(path.join(folder, 'page.html')).href],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 100_000 },
    )
    return /<pre>([\s\S]*)<\/pre>/.exec(dom)?.[1] ?? `the page was not shown:\n${dom}`
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

const PAGE = `<!doctype html><meta charset="utf-8"><pre></pre>
<script src="work.js"></script><script src="packed.js"></script>
<script>
  const shown = document.querySelector('pre')
  try { shown.textContent = rocelabOutcomes(work) } catch (failure) { shown.textContent = failure.stack }
</script>`
