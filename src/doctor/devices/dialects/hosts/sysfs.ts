/**
 * sysfs: settings and counters of ports and RDMA devices, as lines of `grep "" -r` ("/sys/class/net/eth0/mtu:9000") or as
 * files with such paths.
 * Sources: Linux, Documentation/ABI (sysfs-class-net, sysfs-class-infiniband); mlx5 of MLNX_OFED, en_sysfs.c (ecn, qos) and
 * roce_tc.c (tc).
 */
import { countOf, noteStats, type Stat } from '../counters/counts.ts'
import { DATA } from '../counters/names.ts'
import { noteRdmaStats } from '../counters/rdma-statistic.ts'
import type { Dialect } from '../dialect.ts'
import { type Facts, rdmaName } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { PortFiles } from './sysfs-settings.ts'

/** One line of one file. */
interface Entry {
  readonly path: readonly string[]
  readonly value: string
  readonly line: Line
}

const ROOTS = ['/net/', '/infiniband/']

/** A path of sysfs, its folder net or infiniband first; undefined: another one. */
function pathOf(text: string): readonly string[] | undefined {
  const names = text.split('/')
  if (!names.includes('sys') && !names.includes('class')) return undefined
  const root = Math.max(names.lastIndexOf('net'), names.lastIndexOf('infiniband'))
  return root < 1 || root + 2 >= names.length ? undefined : names.slice(root)
}

/** A line with its path; undefined: none. */
function entryOf(line: Line): Entry | undefined {
  const { text } = line
  if (!text.startsWith('/sys/')) return undefined
  const roots = ROOTS.map((root) => text.indexOf(root)).filter((at) => at >= 0)
  // Addresses of PCI before it have colons, too.
  const colon = roots.length === 0 ? -1 : text.indexOf(':', Math.min(...roots))
  const path = colon < 0 ? undefined : pathOf(text.slice(0, colon))
  return path === undefined ? undefined : { path, value: text.slice(colon + 1).trim(), line }
}

/** Path of the one file of sysfs that a part is of: by its name, or as cat has printed it; undefined: none. */
const ownPathOf = ({ file, command }: Part): readonly string[] | undefined =>
  pathOf(file) ?? pathOf(/^(?:sudo )?cat (\/sys\/[^\s*?]+)$/.exec(command)?.[1] ?? '')

function entriesOf(part: Part): Entry[] {
  const { lines } = part
  const path = ownPathOf(part)
  const entries = lines.flatMap((line) => entryOf(line) ?? [])
  if (path === undefined || entries.length > 0) return entries
  return lines.flatMap((line) => (line.text.trim() === '' ? [] : [{ path, value: line.text.trim(), line }]))
}

export const sysfs: Dialect = {
  name: 'sysfs',
  title: 'sysfs',
  command: 'grep "" -r /sys/class/net/IF/ecn /sys/class/net/IF/qos /sys/class/infiniband/DEV/',
  leavesOut: [
    'statistics of the kernel',
    'GIDs',
    'errors in counters that saturate',
    'lifespan',
    'rules of traffic classes',
  ],
  recognises: (part) => ownPathOf(part) !== undefined || part.lines.some((line) => entryOf(line) !== undefined),
  read(part, facts) {
    facts.kind = 'host'
    const stats = new Map<string, { device: string; port: number; folder: string; stats: Map<string, Stat> }>()
    const files = new PortFiles(facts)
    for (const entry of entriesOf(part)) {
      const { path, value, line } = entry
      const [root, device = '', ...rest] = path
      const [folder, number = '', counters = '', name = ''] = rest
      if (root === 'net') files.note(device, rest, value, line)
      else if (folder === 'tc') noteTrafficClass(facts, entry)
      else if (folder === 'ports' && /^\d{1,3}$/.test(number)) {
        if (counters === 'hw_counters' || counters === 'counters') {
          const count = countOf(value)
          if (count === undefined) continue
          const key = `${device} ${number} ${counters}`
          let known = stats.get(key)
          if (known === undefined)
            stats.set(key, (known = { device, port: Number(number), folder: counters, stats: new Map() }))
          known.stats.set(name, { value: count, line })
        } else noteRdmaPort(facts, device, Number(number), rest.slice(2).join('/'), value, line)
      }
    }
    files.finish()
    for (const { device, port, folder, stats: own } of stats.values())
      if (folder === 'counters') noteStats(facts, `rdma:${rdmaName(device, port)}`, own, DATA)
      else noteRdmaStats(facts, device, port, own)
    noteEnd(part, facts)
  },
}

/** Traffic class of the kernel; nothing is in the file where there is none. */
function noteTrafficClass(facts: Facts, { path, value, line }: Entry): void {
  const [, device = '', , port = '', name] = path
  if (name !== 'traffic_class') return
  const [, tclass] = /^Global tclass=(\d{1,3})$/.exec(value) ?? []
  const { nic } = facts.rdmaPort(device, Number(port))
  if (tclass !== undefined && Number(tclass) < 256) nic.put('sysfsTclass', Number(tclass), line, 'operational')
  else facts.remainder.push(line)
}

const BITS = { M: 1e6, G: 1e9 } as const

function noteRdmaPort(facts: Facts, device: string, number: number, name: string, value: string, line: Line): void {
  const port = facts.rdmaPort(device, number)
  if (name === 'rate') {
    const [, rate, unit] = /^(\d{1,6}(?:\.\d{1,3})?) ([MG])b\/sec/.exec(value) ?? []
    if (rate !== undefined) {
      const rateBps = Math.round(Number(rate) * BITS[unit as keyof typeof BITS])
      if (rateBps > 0) port.settings.put('rateBps', rateBps, line, 'operational')
    }
  } else if (name === 'state') port.nic.put('isActive', value.startsWith('4:'), line, 'operational')
  else if (name.startsWith('gid_attrs/ndevs/') && /^[\w.-]+$/.test(value))
    facts.port(value).nic.put('rdmaDevice', rdmaName(device, number), line, 'operational')
}

/** In a whole list every line has a value. */
function noteEnd(part: Part, facts: Facts): void {
  const { lines } = part
  const last = lines.findLast((line) => line.text.trim() !== '')
  if (last === undefined || !last.text.startsWith('/sys/') || ownPathOf(part) !== undefined) return
  const entry = entryOf(last)
  if (entry === undefined || entry.value === '') facts.truncated = { line: last, expected: 'a value after each path' }
}
