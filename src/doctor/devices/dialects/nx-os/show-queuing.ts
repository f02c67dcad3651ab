/**
 * NX-OS show queuing interface: packets and drops of each qos-group, drops on arrival, PFC frames of each priority. Columns and
 * the words for drops differ between releases.
 * Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide.
 */
import { ALL_PRIORITIES } from '../../../../core/device-model/index.ts'
import { isPort, longName } from '../cli/interfaces.ts'
import { rowsOf } from '../cli/rows.ts'
import type { Dialect } from '../dialect.ts'
import type { Facts } from '../facts.ts'
import type { Line } from '../text.ts'
import { countIn } from '../words.ts'
import { ETHERNET } from './running-config.ts'

const GROUP_COUNTERS: readonly (readonly [RegExp, string])[] = [
  [/^Tx Pkts$/, 'txPackets'],
  [/^Tx Byts$/, 'txBytes'],
  [/\bDrop(?:ped)? Pkts$/, 'dropOut'],
]

interface Counted {
  readonly line: Line
  value: number
}

/** Counts of one port: those of groups are of priorities only once the table of PFC has them. */
class PortCounts {
  readonly port: string
  readonly #groups = new Map<string, Counted & { readonly group: number; readonly name: string }>()
  readonly #priorityOf = new Map<number, number>()
  /** Whether the lines that come next are of a slice of the chip. */
  isOfSlice = false
  /** On arrival. */
  #drops: Counted | undefined

  constructor(port: string) {
    this.port = port
  }

  /** Cells of a row: a label, then its numbers; some releases have two labels in a row. */
  addRow(group: number, cells: readonly string[], line: Line): void {
    let name: string | undefined
    for (const cell of cells) {
      const value = countIn(cell)
      if (value === undefined) name = GROUP_COUNTERS.find(([label]) => label.test(cell))?.[1]
      else if (name !== undefined) {
        const key = `${group} ${name}`
        const earlier = this.#groups.get(key)
        if (earlier === undefined) this.#groups.set(key, { group, name, line, value })
        else earlier.value += value
      }
    }
  }

  addDrops(value: number, line: Line): void {
    if (this.#drops === undefined) this.#drops = { line, value }
    else this.#drops.value += value
  }

  setPriority(group: number, priority: number): void {
    this.#priorityOf.set(group, priority)
  }

  putInto(facts: Facts): void {
    for (const { group, name, line, value } of this.#groups.values())
      facts.count(this.port, this.#priorityOf.get(group) ?? group, name, value, line)
    if (this.#drops !== undefined)
      facts.count(this.port, ALL_PRIORITIES, 'dropInPort', this.#drops.value, this.#drops.line)
  }
}

/** Headings: a slice of the chip is several ports. */
const SCOPE = /^(?:Per (?:Slice|Port)|Port) (?:Ingress|Egress) Statistics/
/** Packets that found no buffer on arrival: those of the memory (MMU) and of the port in front of it are counted apart. */
const INGRESS_DROPS = /^Ingress (?:MMU|Overflow) Drop Pkts [\d,]+$/

/** Counters of the whole port, and of a priority, in one line. */
function putLine(port: PortCounts, words: readonly string[], line: Line, facts: Facts): void {
  const push = (name: string, priority: number, text: string | undefined): void => {
    const value = countIn((text ?? '').replace(/,$/, ''))
    if (value !== undefined) facts.count(port.port, priority, name, value, line)
  }
  const text = words.join(' ')
  if (SCOPE.test(text)) port.isOfSlice = text.startsWith('Per Slice')
  else if (INGRESS_DROPS.test(text) && !port.isOfSlice) port.addDrops(countIn(words.at(-1)!) ?? 0, line)
  else if (words[0] === 'TxPPP:') {
    push('pfcTxFrames', ALL_PRIORITIES, words[1])
    push('pfcRxFrames', ALL_PRIORITIES, words[words.indexOf('RxPPP:') + 1])
  } else if (/^[0-7] .*\b(?:Active|Inactive) \S+ (?:Active|Inactive) \S+$/.test(text)) {
    const priority = Number(words[0])
    if (/^[0-7]$/.test(words[1]!)) port.setPriority(Number(words[1]), priority)
    push('pfcTxFrames', priority, words.at(-3))
    push('pfcRxFrames', priority, words.at(-1))
  }
}

export const nxosQueuing: Dialect = {
  name: 'nx-os-queuing',
  language: 'nx-os',
  title: 'NX-OS show queuing interface',
  command: 'show queuing interface',
  leavesOut: [
    'bandwidths and limits of queues',
    'depths of queues',
    'WRED drops of the whole port',
    'layout of Nexus 5000',
  ],
  recognises: ({ text }) => /^[ \t]*(?:Egress|Ingress) Queuing for \S/m.test(text),
  read(part, facts) {
    facts.kind = 'switch'
    const ports = new Map<string, PortCounts>()
    let port: PortCounts | undefined
    let group: number | undefined
    for (const { line, words } of rowsOf(part, facts)) {
      const text = words.join(' ')
      const [, title] = /^(?:Egress|Ingress) Queuing for (\S+)/.exec(text) ?? []
      const [, number] = /QOS GROUP ([0-7])\b/.exec(text) ?? []
      if (title !== undefined) {
        const name = longName(title, ETHERNET)
        port = isPort(name, ETHERNET) ? (ports.get(name) ?? new PortCounts(name)) : undefined
        if (port !== undefined) {
          ports.set(name, port)
          port.isOfSlice = false
        }
        group = undefined
      } else if (number !== undefined) group = Number(number)
      else if (port === undefined) continue
      else if (words[0]!.startsWith('|')) {
        const cells = text.split('|').flatMap((cell) => cell.trim() || [])
        if (group !== undefined) port.addRow(group, cells, line)
      } else putLine(port, words, line, facts)
    }
    for (const each of ports.values()) each.putInto(facts)
    if (![...ports.keys()].every((name) => facts.counts.some((count) => count.port === name)))
      facts.cut(part.lines.at(-1)!, 'counters of the port')
  },
}
