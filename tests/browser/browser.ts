/**
 * Where JavaScript runs without Node: the rooms below the command line packed into one script, and a browser to load it.
 * The browser is a Chromium of this machine: ROCELAB_BROWSER names its program, or it is looked for on the PATH.
 */
import { execFileSync } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Path of a browser's program; undefined where there is none. */
export const BROWSER: string | undefined = process.env['ROCELAB_BROWSER'] ?? onPath()

function onPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** `page.ts` and all it imports as one classic script, and what the packer had to say. */
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

/** Loads the script into a page of its own and gives what the page reads once `rocelabOutcomes(work)` is written there. */
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
