/**
 * Report bench: a folder with reports that the program has written, and a browser that opens them. A test fails, too, if the
 * browser has complained about a page that it opened, or if a page has asked for anything but itself.
 */
import path from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createFolder, rocelab } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { type OpenOptions, ReportPage } from './report-page.ts'

export class ReportBench {
  #at!: ReturnType<typeof createFolder>
  browser!: Browser
  #opened: ReportPage[] = []

  /**
   * To be called in a suite.
   * @param files texts by name, in the folder before `prepare`
   * @param prepare writes the reports
   */
  constructor(files: Readonly<Record<string, string>>, prepare: (bench: ReportBench) => void) {
    beforeAll(async () => {
      this.#at = createFolder(files)
      prepare(this)
      // A page that still scrolls would be clicked beside what was meant.
      const args = ['--no-sandbox', '--force-prefers-reduced-motion']
      this.browser = await puppeteer.launch({ executablePath: BROWSER!, args, headless: true })
    })
    afterAll(async () => {
      await this.browser?.close()
      this.#at?.clear()
    })
    afterEach(async () => {
      const opened = this.#opened.splice(0)
      const complaints = opened.flatMap((each) => each.complaints)
      for (const { page } of opened) await page.close()
      if (complaints.length > 0) throw new Error(`the browser complains or asks for more: ${complaints.join('; ')}`)
    })
  }

  /** Runs the program in the folder. */
  run(...args: string[]): void {
    const { code, stderr } = rocelab(this.#at.folder, ...args)
    if (code !== 0) throw new Error(stderr)
  }

  file(...names: string[]): string {
    return path.join(this.#at.folder, ...names)
  }

  async open(name: string, options?: OpenOptions): Promise<ReportPage> {
    const page = await ReportPage.open(this.browser, this.file(name), options)
    this.#opened.push(page)
    return page
  }
}
