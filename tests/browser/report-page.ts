/**
 * A report opened in a browser: everything that the browser complains of or asks for is noted, and the page is read by
 * expressions that run in it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface OpenOptions {
  readonly scheme?: 'light' | 'dark'
  readonly hasScript?: boolean
  readonly width?: number
  readonly height?: number
  /** Pixels of the screen for one of the page. */
  readonly scale?: number
}

export class ReportPage {
  readonly page: Page
  readonly #complaints: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('console', (message) => this.#complaints.push(message.text()))
    page.on('pageerror', (error) => this.#complaints.push(String(error)))
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) this.#complaints.push(`asks for ${request.url()}`)
    })
  }

  static async open(browser: Browser, file: string, options: OpenOptions = {}): Promise<ReportPage> {
    const { scheme, hasScript = true, width = 1280, height = 900, scale = 1 } = options
    const page = await browser.newPage()
    const opened = new ReportPage(page)
    // Not every browser can do these, so only where they are asked for.
    if (!hasScript) await page.setJavaScriptEnabled(false)
    if (scheme !== undefined) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width, height, deviceScaleFactor: scale })
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' })
    return opened
  }

  /** Errors of the page, and addresses that it asked for. */
  get complaints(): readonly string[] {
    return this.#complaints
  }

  async read<T>(expression: string): Promise<T> {
    return (await this.page.evaluate(expression)) as T
  }

  async texts(selector: string): Promise<string[]> {
    return this.read(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent.replaceAll(/\\s+/g, ' ').trim())`,
    )
  }

  /** Objections of axe. */
  async violations(): Promise<string[]> {
    await this.read(AXE)
    return this.read(`axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
  }

  /** Presses something and returns name and text of the file that the page gives. */
  async downloaded(browser: Browser, selector: string): Promise<{ readonly name: string; readonly text: string }> {
    const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-download-'))
    try {
      const session = await browser.target().createCDPSession()
      await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
      await this.page.click(selector)
      const endMs = performance.now() + 5000
      const isDone = (): boolean => readdirSync(folder).some((name) => /\.(csv|json|svg)$/.test(name))
      while (!isDone() && performance.now() < endMs) await new Promise((resolve) => void setTimeout(resolve, 50))
      const [name = ''] = readdirSync(folder)
      return { name, text: readFileSync(path.join(folder, name), 'utf8') }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  /** Links to places on the page that are not there. */
  async dangling(): Promise<string[]> {
    return this.read(
      `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute('href')).filter((hash) => document.getElementById(hash.slice(1)) === null)`,
    )
  }

  /** The first bytes of the page as it prints. */
  async printed(): Promise<string> {
    return Buffer.from(await this.page.pdf())
      .subarray(0, 5)
      .toString()
  }
}
