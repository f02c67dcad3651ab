/**
 * Pictures of pages: taken in a Chromium that knows one font beside that of the page, Arimo, so that they do not
 * depend on the fonts of the machine; and compared with stored ones.
 *
 * The tolerance: pixels count as different beyond a distance in colour of 0.1 (of 1, as pixelmatch has it, which leaves
 * the smoothing of edges out); of them a picture may have 1 in 500. It is meant for other versions of the browser.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { ROOT } from '../cli/program.ts'
import { BROWSER } from './browser.ts'

/** Share of pixels that may differ. */
export const TOLERANCE = 1 / 500
const COLOUR_DISTANCE = 0.1
/** Where pictures that differ are put, beside what they differ from. */
const FOUND = path.join(ROOT, '.tmp', 'pictures')
export const isUpdate: boolean = process.env['UPDATE_DIGESTS'] !== undefined

const require = createRequire(import.meta.url)
const FACES = ['400Regular/Arimo_400Regular', '600SemiBold/Arimo_600SemiBold', '700Bold/Arimo_700Bold']

/** Every family is Arimo, without hints and without colours at edges. */
function fontSettings(fonts: string, cache: string): string {
  const off = (name: string): string => `<edit name="${name}" mode="assign"><bool>false</bool></edit>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${cache}</cachedir>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>Arimo</string></edit>
  </match>
  <match target="font">
    ${off('hinting')}${off('autohint')}
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`
}

export interface Studio {
  readonly browser: Browser
  close(): Promise<void>
}

/** A browser that draws the same on every machine. Fonts are set by fontconfig: not on macOS and Windows. */
export async function openStudio(): Promise<Studio> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-studio-'))
  const fonts = path.join(folder, 'fonts')
  mkdirSync(fonts)
  for (const face of FACES) {
    const file = require.resolve(`@expo-google-fonts/arimo/${face}.ttf`)
    writeFileSync(path.join(fonts, path.basename(file)), readFileSync(file))
  }
  const settings = path.join(folder, 'fonts.conf')
  writeFileSync(settings, fontSettings(fonts, path.join(folder, 'cache')))
  const args = ['--no-sandbox', '--hide-scrollbars', '--force-color-profile=srgb', '--font-render-hinting=none']
  const browser = await puppeteer.launch({
    executablePath: BROWSER!,
    args: [...args, '--disable-lcd-text'],
    env: { ...process.env, FONTCONFIG_FILE: settings },
    headless: true,
  })
  return {
    browser,
    async close() {
      await browser.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** Families that the text of an element is drawn with. */
export async function fontsAt(page: Page, selector: string): Promise<string[]> {
  const session = await page.createCDPSession()
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const { root } = await session.send('DOM.getDocument')
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector })
  const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId })
  return fonts.map(({ familyName }) => familyName)
}

/** How a picture compares with the stored one. */
export interface Likeness {
  /** Share of pixels that differ; 1 where there is no stored one, or one of another size. */
  readonly share: number
  /** For people: where to look. */
  readonly text: string
}

/** @param stored path from the root of the repository */
export function compare(stored: string, taken: Uint8Array): Likeness {
  const target = path.join(ROOT, stored)
  if (!existsSync(target)) return { share: 1, text: `${stored} is missing` }
  const [before, now] = [PNG.sync.read(readFileSync(target)), PNG.sync.read(Buffer.from(taken))]
  const { width, height } = before
  const sizes = `${width}x${height}, now ${now.width}x${now.height}`
  if (width !== now.width || height !== now.height) return { share: 1, text: `${stored} is ${sizes}` }
  const shown = new PNG({ width, height })
  const count = pixelmatch(before.data, now.data, shown.data, width, height, { threshold: COLOUR_DISTANCE })
  const share = count / (width * height)
  if (share <= TOLERANCE) return { share, text: 'alike' }
  const name = path.basename(stored, '.png')
  mkdirSync(FOUND, { recursive: true })
  writeFileSync(path.join(FOUND, `${name}.png`), taken)
  writeFileSync(path.join(FOUND, `${name}-difference.png`), PNG.sync.write(shown))
  return {
    share,
    text: `${(100 * share).toFixed(2)} % of the pixels of ${stored} differ: see .tmp/pictures/${name}-difference.png`,
  }
}

/** Stores a picture, as well compressed as PNG can. */
export function store(stored: string, taken: Uint8Array): void {
  const target = path.join(ROOT, stored)
  mkdirSync(path.dirname(target), { recursive: true })
  const packed = PNG.sync.write(PNG.sync.read(Buffer.from(taken)), { deflateLevel: 9, colorType: 2 })
  writeFileSync(target, packed.length < taken.length ? packed : taken)
}
