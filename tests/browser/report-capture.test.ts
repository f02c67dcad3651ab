/**
 * The page of a capture in a browser: findings lead to their connections, diagrams have every kind of packet and can be left
 * alone by kind, names of files stay text, and it can be read by everyone, also on paper and without a script.
 */
import { statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Script } from '../../src/live/decode/script.test-data.ts'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'

/** A slash cannot stand in the name of a file. */
const HOSTILE = '"><img src=x onerror=alert(1)>.pcapng'

if (BROWSER === undefined) console.warn('the page of a capture in a browser: skipped, there is no Chromium')

const lossy = (): Script =>
  new Script()
    .write(1)
    .ack(1, 1)
    .write(2)
    .write(3)
    .write(4)
    .ack(3, 2, 0x60)
    .wait(67e9)
    .write(3)
    .write(4)
    .cnp()
    .ack(4, 4)

describe.skipIf(BROWSER === undefined)('the page of a capture', () => {
  const bench = new ReportBench({}, (at) => {
    writeFileSync(at.file('lossy.pcapng'), lossy().file())
    writeFileSync(at.file(HOSTILE), lossy().file())
    const long = new Script()
    for (let psn = 0; psn < 30_000; psn++) long.write(psn)
    for (let psn = 26_000; psn < 30_000; psn += 4) long.ack(psn, 1, 0x60).write(psn)
    writeFileSync(at.file('long.pcapng'), long.file())
    at.run('decode', 'lossy.pcapng', '--html', 'lossy.html')
    at.run('decode', HOSTILE, '--html', 'hostile.html')
    at.run('decode', 'long.pcapng', '--html', 'long.html')
  })

  test.each(['light', 'dark'] as const)('has nothing that axe objects to, %s, wide and narrow', async (scheme) => {
    for (const options of [
      { scheme, width: 1200 },
      { scheme, width: 390 },
    ]) {
      const opened = await bench.open('lossy.html', options)
      await opened.read(`document.querySelectorAll('details').forEach((each) => (each.open = true))`)
      expect(await opened.violations()).toEqual([])
      expect(await opened.read(`document.documentElement.scrollWidth`)).toBe(options.width)
    }
  })

  test('leads from findings to connections, and tells each in order', async () => {
    const opened = await bench.open('lossy.html')
    expect(await opened.dangling()).toEqual([])
    expect(await opened.texts('.finding.warning .rule')).toEqual(['capture-loss-after', 'capture-retransmission-nak'])
    expect((await opened.texts('.finding.warning a'))[0]).toBe('connection #1')
    expect((await opened.texts('.story .noted td:last-child')).map((text) => text.slice(0, 12))).toEqual([
      'B misses PSN',
      'A sends 2 pa',
    ])
  })

  test('draws each kind of packet, and the stretches between silences by themselves', async () => {
    const opened = await bench.open('lossy.html')
    const kinds = await opened.texts('#figure-connection-1-0 .series button')
    expect(kinds).toEqual(['requests', 'ACKs', 'sent again', 'CNPs', 'NAKs 60', 'lost'])
    // The silence is most of the time.
    expect(await opened.texts('figcaption')).toHaveLength(4)
    const drawn = `[...document.querySelectorAll('canvas')].map((one) => {
      const { data } = one.getContext('2d').getImageData(0, 0, one.width, one.height)
      return data.some((value) => value > 0)
    })`
    expect(new Set(await opened.read<boolean[]>(drawn))).toEqual(new Set([true]))
  })

  test('of a long capture stays small', async () => {
    expect(statSync(bench.file('long.html')).size).toBeLessThan(700e3)
    const opened = await bench.open('long.html')
    expect((await opened.texts('figure .note'))[0]).toMatch(/of 32,000 packets/)
  })

  test('shows the hostile name of a file as text, prints, and reads without a script', async () => {
    const opened = await bench.open('hostile.html')
    expect(await opened.read(`document.querySelectorAll('img').length`)).toBe(0)
    expect(await opened.texts('h1')).toEqual([`Capture: ${HOSTILE}`])
    const plain = await bench.open('lossy.html', { hasScript: false })
    expect(await plain.texts('.story .noted')).toHaveLength(2)
    expect((await plain.texts('#figure-connection-1-0 [data-legend]')).length).toBe(6)
    expect(await (await bench.open('lossy.html')).printed()).toBe('%PDF-')
  })
})
