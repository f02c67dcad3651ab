/** Names in files that a shell would run, or take for more than one word, or for an option, are in no line that is printed. */
import { dump, load } from 'js-yaml'
import { expect, test } from 'vitest'
import { Draw } from '../../../../core/base/draw.ts'
import type { Fabric } from '../../../devices/joins/index.ts'
import { drawn, type Folder, lookedAt } from './typing.test-data.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 45_000)
const FABRICS = 60 * BUDGET

const HOSTILE = [
  'eth1;touch x',
  '$(id)',
  'a b',
  '-rf',
  '`id`',
  'x&y',
  'x|y',
  'x>y',
  "x'y",
  '${x}',
  'x\\y',
  'x\ny',
  'x*',
]

/** Names that the fabric uses at a device: of ports, and of what decides about them. */
function namesAt(fabric: Fabric, device: string): string[] {
  const ports = fabric.devices.get(device)?.config.ports ?? []
  return [...new Set(ports.flatMap(({ name, names }) => [name, ...Object.values(names ?? {})]))]
}

const escaped = (name: string): string => name.replaceAll(/[.*+?^$()|[\]{}\\/]/g, String.raw`\$&`)

/** The same text with another name, as a file of its kind would have it. */
function renamed(file: string, text: string, name: string, by: string): string {
  const pattern = new RegExp(`(?<![\\w./-])${escaped(name)}(?![\\w./-])`, 'g')
  const plain = (all: string, one = by): string => all.replaceAll(pattern, () => one)
  if (file.endsWith('.json')) return plain(text, JSON.stringify(by).slice(1, -1))
  if (file.endsWith('.yaml'))
    return dump(JSON.parse(plain(JSON.stringify(load(text)), JSON.stringify(by).slice(1, -1))), { lineWidth: -1 })
  return plain(text, /^running\.(?:set|conf)$/.test(file) ? `"${by}"` : by)
}

function withName({ files, edges }: Folder, device: string, name: string, by: string): Folder {
  const own = (at: string, port: string): string => (at === device && port === name ? by : port)
  return {
    files: files.map(({ file, text }) => {
      const [at, ...rest] = file.split('/')
      return { file, text: at === device ? renamed(rest.join('/'), text, name, by) : text }
    }),
    edges: edges.map((edge) => ({
      ...edge,
      portA: own(edge.deviceA, edge.portA),
      portB: own(edge.deviceB, edge.portB),
    })),
  }
}

test('no line has a name that a command line would not take as one word', () => {
  let unsafe = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + FABRICS; seed++) {
    const draw = new Draw(seed, 'typed names')
    const folder = drawn(7 * seed)
    if (folder === null) continue
    const { context, cured } = lookedAt(folder)
    const lines = cured.flatMap((one) => one.lines ?? [])
    const used = lines.flatMap(({ device, lines: own }) =>
      namesAt(context.fabric, device).flatMap((name) =>
        own.some((line) => new RegExp(`(?<![\\w.-])${escaped(name)}(?![\\w.-])`).test(line)) ? [{ device, name }] : [],
      ),
    )
    if (used.length === 0) continue
    const { device, name } = draw.one(used)
    const by = draw.one(HOSTILE)
    const after = lookedAt(withName(folder, device, name, by))
    const printed = after.cured.flatMap((one) => (one.lines ?? []).flatMap((typed) => typed.lines))
    expect([seed, printed.filter((line) => line.includes(by))]).toEqual([seed, []])
    unsafe += after.cured.filter(({ isUnsafe }) => isUnsafe).length
  }
  expect(unsafe).toBeGreaterThan(FABRICS / 10)
}, 3_600_000)
