/**
 * The page of the doctor in a browser: hostile names and files stay text, the picture and the search choose findings, lines of
 * files open, remedies can be copied, and it can be read by everyone, also on paper and without a script.
 */
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { rocelab, ROOT } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'

const POD = path.join(ROOT, 'tests', 'doctor', 'pod')
const EDGES = 'device_a,port_a,device_b,port_b,cable_m\n'
/** A slash cannot stand in the name of a file. */
const HOSTILE = '"><img src=x onerror=alert(1)>'
const CLOSING = '</script><script>alert(1)</script>'

if (BROWSER === undefined) console.warn('the page of the doctor in a browser: skipped, there is no Chromium')

/** A leaf for every 16 hosts, of which some are as gpu2. */
function largeFabric(folder: string, hosts: number): void {
  const config = readFileSync(path.join(POD, 'leaf1', 'running-config.cfg'), 'utf8')
  const begin = config.indexOf('interface Ethernet1')
  const block = config.slice(begin, config.indexOf('interface Ethernet2'))
  const rows: string[] = []
  for (let h = 0; h < hosts; h++) {
    const name = `gpu${String(h + 1).padStart(3, '0')}`
    cpSync(path.join(POD, h % 9 === 4 ? 'gpu2' : 'gpu1'), path.join(folder, name), { recursive: true })
    rows.push(`${name},eth2,leaf${Math.floor(h / 16) + 1},Ethernet${(h % 16) + 1},7`)
  }
  for (let leaf = 1; leaf <= Math.ceil(hosts / 16); leaf++) {
    const ports = Array.from({ length: 16 }, (_, i) => block.replace('Ethernet1', `Ethernet${i + 1}`)).join('')
    mkdirSync(path.join(folder, `leaf${leaf}`), { recursive: true })
    const text = `${config.slice(0, begin).replace('leaf1', `leaf${leaf}`)}${ports}end\n`
    writeFileSync(path.join(folder, `leaf${leaf}`, 'running-config.cfg'), text)
  }
  writeFileSync(path.join(folder, 'edges.csv'), EDGES + rows.join('\n'))
}

describe.skipIf(BROWSER === undefined)('the page of the doctor', () => {
  const page = (bench: ReportBench, folder: string): void => {
    const { code, stderr } = rocelab(bench.file(), 'doctor', folder, '--format', 'html', '--out', `${folder}.html`)
    if (code !== 0 && code !== 3) throw new Error(stderr)
  }
  const bench = new ReportBench({}, (at) => {
    cpSync(POD, at.file('pod'), { recursive: true })
    page(at, 'pod')
    cpSync(POD, at.file('hostile'), { recursive: true })
    cpSync(path.join(POD, 'gpu2'), at.file('hostile', HOSTILE), { recursive: true })
    const nic = readFileSync(path.join(POD, 'gpu2', 'mlnx_qos.txt'), 'utf8')
    const config = readFileSync(path.join(POD, 'leaf1', 'running-config.cfg'), 'utf8')
    const marked = config.replaceAll('no switchport', `description ${CLOSING}\n   no switchport`)
    writeFileSync(at.file('hostile', HOSTILE, 'mlnx_qos.txt'), nic)
    writeFileSync(at.file('hostile', 'leaf1', 'running-config.cfg'), marked)
    const port = `"Ethernet2${CLOSING.replaceAll(/[",]/g, '')}"`
    const quoted = `"${HOSTILE.replaceAll('"', '""')}"`
    writeFileSync(
      at.file('hostile', 'edges.csv'),
      `${EDGES}gpu1,eth2,leaf1,Ethernet1,7\n${quoted},eth2,leaf1,Ethernet2,7\ngpu2,eth2,leaf1,${port},7\n`,
    )
    page(at, 'hostile')
    largeFabric(at.file('large'), 320)
    page(at, 'large')
  })

  test('shows the worst device on a telephone, whose screen the picture is wider than', async () => {
    const report = await bench.open('pod.html', { width: 400 })
    const centre = `(() => {
      const [own, box] = ['.node.error', '.fabric > .scroll'].map((one) => document.querySelector(one).getBoundingClientRect())
      return [own.left >= box.left, own.right <= box.right, document.querySelector('.fabric svg').clientWidth > box.width, scrollY]
    })()`
    expect(await report.read(centre)).toEqual([true, true, true, 0])
  })

  test.each(['light', 'dark'] as const)('has nothing that axe objects to, %s, wide and narrow', async (scheme) => {
    for (const options of [{ scheme }, { scheme, width: 390 }]) {
      const opened = await bench.open('pod.html', options)
      await opened.read(`document.querySelectorAll('details').forEach((each) => (each.open = true))`)
      expect(await opened.violations()).toEqual([])
    }
    const narrow = await bench.open('pod.html', { scheme, width: 390 })
    expect(await narrow.read(`document.documentElement.scrollWidth`)).toBe(390)
  })

  test('shows each finding with both ports, what is there, the line to type, and the lines of files', async () => {
    const opened = await bench.open('pod.html')
    expect(await opened.texts('.finding .rule')).toEqual(['MAP03', 'PFC06', 'PFC01'])
    expect(await opened.texts('.finding:first-child .values tr')).toEqual([
      'port found file and line',
      'gpu2 eth2 pcp gpu2/mlnx_qos.txt:2',
      'leaf1 Ethernet2 dscp leaf1/running-config.cfg:39',
    ])
    expect(await opened.texts('.finding:first-child code.line')).toEqual([
      'mlnx_qos -i eth2 --trust dscp mlnx_qos -i eth2 --dscp2prio set,26,3',
    ])
    expect(await opened.texts('.finding:first-child mark')).toEqual(['2Priority trust state: pcp', '39 qos trust dscp'])
    // No more of a file than the lines around.
    expect((await opened.texts('.finding:first-child .excerpt:first-of-type > *')).length).toBeLessThanOrEqual(14)
    expect(await opened.dangling()).toEqual([])
  })

  test('chooses findings by device, by key and pointer, by words and by severity', async () => {
    const opened = await bench.open('pod.html')
    const visible = (): Promise<string[]> => opened.texts('.finding:not([hidden]) .rule')
    await opened.read(`document.querySelector('.node[aria-label^="gpu1"]').focus()`)
    await opened.page.keyboard.press('Enter')
    expect(await visible()).toEqual([])
    await opened.page.keyboard.press('ArrowRight')
    await opened.page.keyboard.press('Enter')
    expect(await visible()).toEqual(['MAP03', 'PFC06', 'PFC01'])
    await opened.page.click('.finding-controls button')
    await opened.page.type('.finding-controls input[type=search]', 'leaf1 trusts')
    expect(await visible()).toEqual(['MAP03'])
    await opened.page.click('.finding-controls label:nth-of-type(2) input')
    expect(await visible()).toEqual([])
    expect(await opened.texts('.finding-controls .count')).toEqual(['0 of 3 findings'])
  })

  test('shows hostile names and lines as text', async () => {
    const opened = await bench.open('hostile.html')
    expect(await opened.read(`document.querySelectorAll('img, iframe, object').length`)).toBe(0)
    expect(await opened.read(`document.scripts.length`)).toBe(2)
    expect((await opened.texts('.ends')).some((text) => text.includes(HOSTILE))).toBe(true)
    expect((await opened.texts('.excerpt')).some((text) => text.includes(CLOSING))).toBe(true)
  })

  test('of hundreds of devices stays small and legible', async () => {
    expect(statSync(bench.file('large.html')).size).toBeLessThan(2e6)
    const opened = await bench.open('large.html')
    expect((await opened.texts('.fabric .node text')).filter((text) => text === '16 hosts')).toHaveLength(20)
    const sizes = `[...document.querySelectorAll('.fabric .node text')].map((text) => text.getBoundingClientRect().height)`
    expect(Math.min(...(await opened.read<number[]>(sizes)))).toBeGreaterThan(8)
  })

  test('prints, and reads without a script', async () => {
    const opened = await bench.open('pod.html')
    expect(await opened.printed()).toBe('%PDF-')
    const plain = await bench.open('pod.html', { hasScript: false })
    expect(await plain.texts('.finding .rule')).toHaveLength(3)
    expect(await plain.texts('.finding button')).toEqual([])
  })
})
