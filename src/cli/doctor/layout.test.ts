/** Layouts of collectors: the same devices with the same files, however they are laid out, wrapped or encoded. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { fabricOf } from '../../doctor/index.ts'
import { collectedFolder, type CollectedFolder } from './collected-folder.ts'

const POD = path.resolve(import.meta.dirname, '../../../tests/doctor/pod')
const DEVICES = ['gpu1', 'gpu2', 'leaf1']
const filesOf = (device: string): [string, string][] =>
  readdirSync(path.join(POD, device)).map((file) => [file, readFileSync(path.join(POD, device, file), 'utf8')])
const LISTS: Record<string, string> = { 'edges.csv': readFileSync(path.join(POD, 'edges.csv'), 'utf8') }

let at: string
let next = 0
beforeAll(() => {
  at = mkdtempSync(path.join(tmpdir(), 'rocelab-layout-'))
})
afterAll(() => rmSync(at, { recursive: true, force: true }))

function folderOf(files: Readonly<Record<string, string | Buffer>>): CollectedFolder {
  const root = path.join(at, `${next++}`)
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), content)
  }
  return collectedFolder('/', root)
}

/** Settings by device and port, with their values and without their places. */
function factsOf(collected: CollectedFolder): unknown {
  const { devices } = fabricOf(collected.files(), collected.edges)
  const plain = JSON.stringify(
    [...devices].map(([name, { config, neighbours }]) => [
      name,
      config.kind,
      config.settings,
      config.ports,
      neighbours.length,
    ]),
    (key, value: unknown) => (key === 'origin' ? undefined : value),
  )
  return JSON.parse(plain)
}
const laid = (name: (device: string, file: string) => string, lists = ''): Record<string, string> => ({
  ...Object.fromEntries(DEVICES.flatMap((device) => filesOf(device).map(([file, text]) => [name(device, file), text]))),
  ...Object.fromEntries(Object.entries(LISTS).map(([list, text]) => [`${lists}${list}`, text])),
})
const sane = (): unknown => factsOf(folderOf(laid((device, file) => `${device}/${file}`)))

describe('the same devices are found', () => {
  test.each<[string, () => Record<string, string | Buffer>]>([
    ['below sites, with the list there', () => laid((device, file) => `dc1/rack7/${device}/${file}`, 'dc1/rack7/')],
    ['below sites, with the list at the top', () => laid((device, file) => `dc1/rack7/${device}/${file}`)],
    ['in a flat folder', () => laid((device, file) => `${device}_${file}`)],
    ['in folders of a device', () => laid((device, file) => `${device}/2026/${file}`)],
    [
      'in UTF-16 with a mark',
      () =>
        Object.fromEntries(
          Object.entries(laid((device, file) => `${device}/${file}`)).map(([file, text]) => [
            file,
            Buffer.from(`\uFEFF${text}`, 'utf16le'),
          ]),
        ),
    ],
    [
      'in UTF-16 of the other order, without one',
      () =>
        Object.fromEntries(
          Object.entries(laid((device, file) => `${device}/${file}`)).map(([file, text]) => [
            file,
            Buffer.from(text, 'utf16le').swap16(),
          ]),
        ),
    ],
    [
      'beside a byte of Latin-1',
      () =>
        Object.fromEntries(
          Object.entries(laid((device, file) => `${device}/${file}`)).map(([file, text]) => [
            file,
            file.endsWith('.cfg') ? Buffer.concat([Buffer.from([0x21, 0xf6, 0x0a]), Buffer.from(text)]) : text,
          ]),
        ),
    ],
  ])('%s', (_, files) => {
    const collected = folderOf(files())
    expect(factsOf(collected)).toEqual(sane())
    expect([collected.unreadable, collected.skipped]).toEqual([[], []])
  })
})

describe('lines of several hosts in one file are of each host', () => {
  const names = [...new Set(['gpu1', 'gpu2'].flatMap((device) => filesOf(device).map(([file]) => file)))]
  const text = (device: string, file: string): string => filesOf(device).find(([name]) => name === file)?.[1] ?? ''
  const lines = (device: string, file: string): string[] => text(device, file).trimEnd().split('\n')
  const wrappers: [string, (file: string) => string][] = [
    ['pdsh', (file) => ['gpu2', 'gpu1'].flatMap((one) => lines(one, file).map((line) => `${one}: ${line}\n`)).join('')],
    ['ansible', (file) => ['gpu1', 'gpu2'].map((one) => `${one} | CHANGED | rc=0 >>\n${text(one, file)}`).join('\n')],
    [
      'dshbak',
      (file) =>
        ['gpu1', 'gpu2'].map((one) => `----------------\n${one}\n----------------\n${text(one, file)}`).join(''),
    ],
    ['ssh in a loop', (file) => ['gpu1', 'gpu2'].map((one) => `$ ssh root@${one} cat x\n${text(one, file)}`).join('')],
    ['headings', (file) => ['gpu1', 'gpu2'].map((one) => `=== ${one} ===\n${text(one, file)}`).join('')],
  ]
  test.each(wrappers)('as %s writes them', (_, wrapped) => {
    const rest = Object.fromEntries(
      Object.entries(laid((device, file) => `${device}/${file}`)).filter(([file]) => !file.startsWith('gpu')),
    )
    const whole = names.filter((file) => lines('gpu1', file).length > 1 && lines('gpu2', file).length > 1)
    const alone = names.filter((file) => !whole.includes(file))
    const collected = folderOf({
      ...rest,
      ...Object.fromEntries(whole.map((file) => [`hosts/${file}`, wrapped(file)])),
      ...Object.fromEntries(
        alone.flatMap((file) => ['gpu1', 'gpu2'].map((one) => [`${one}/${file}`, text(one, file)])),
      ),
    })
    expect(factsOf(collected)).toEqual(sane())
    expect(collected.devices).toEqual(DEVICES)
  })
})

/** Outputs of many hosts as pdsh writes them: the lines of all of them mixed. */
const mixed = (hosts: number): string => {
  const [, qos] = filesOf('gpu1').find(([file]) => file === 'mlnx_qos.txt')!
  const lines = qos.trimEnd().split('\n')
  return lines.flatMap((line) => Array.from({ length: hosts }, (_, i) => `gpu${i}: ${line}\n`)).join('')
}

test('lines of several hosts keep their numbers in the file', () => {
  const { devices } = fabricOf(folderOf({ 'qos.txt': mixed(3) }).files(), [])
  const lineOf = (device: string): number => {
    const { trust } = devices.get(device)!.config.ports[0]!.settings
    return trust.state === 'unknown' ? NaN : (trust.origin?.line ?? NaN)
  }
  const [first, second, third] = ['gpu0', 'gpu1', 'gpu2'].map(lineOf)
  expect(mixed(3).split('\n')[first! - 1]).toMatch(/^gpu0: .*trust/i)
  expect([second, third]).toEqual([first! + 1, first! + 2])
})

test('a file with lines of two thousand hosts is read once, and not once for each of them', () => {
  const { devices } = fabricOf(folderOf({ 'qos.txt': mixed(2000) }).files(), [])
  expect([devices.size, devices.get('gpu1999')!.config.ports.length]).toEqual([2000, 1])
})

test('a text about the files is not of a device, though it quotes an output', () => {
  const [, qos] = filesOf('gpu1').find(([file]) => file === 'mlnx_qos.txt')!
  const { skipped, devices } = folderOf({ ...laid((device, file) => `${device}/${file}`), 'README.md': qos })
  expect([skipped.map(({ file }) => file), devices]).toEqual([['README.md'], DEVICES])
})

test('a flat folder of configurations is as many devices as call themselves so', () => {
  const config = (name: string): string =>
    `set version 23.4\nset system host-name ${name}\nset interfaces et-0/0/0 mtu 9216\n`
  expect(folderOf({ 'a.conf': config('leaf1'), 'b.conf': config('leaf2') }).devices).toEqual(['leaf1', 'leaf2'])
  expect(folderOf({ 'configs/a.conf': config('leaf1'), 'configs/b.conf': config('leaf2') }).devices).toEqual([
    'leaf1',
    'leaf2',
  ])
  expect(folderOf({ 'sw/a.conf': config('leaf1'), 'sw/b.conf': config('leaf1-re1') }).devices).toEqual(['sw'])
})

test('two folders of one name are a mistake, and not one device', () => {
  const qos = filesOf('gpu1').find(([file]) => file === 'mlnx_qos.txt')![1]
  const files = { 'dc1/a/x.txt': qos, 'dc1/b/x.txt': qos, 'dc2/a/x.txt': qos, 'dc2/b/x.txt': qos }
  expect(() => folderOf(files)).toThrow(InputError)
})

test('a file beside the folders of devices that is of none is said', () => {
  const { skipped, devices } = folderOf({ ...laid((device, file) => `${device}/${file}`), 'notes.txt': 'ask Bob\n' })
  expect([skipped.map(({ file }) => file), devices]).toEqual([['notes.txt'], DEVICES])
})
