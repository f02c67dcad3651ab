/**
 * Outputs of the tools of a NIC, as their commands change it.
 * Sources: mlnx_qos (NVIDIA, mlnx-tools); lldptool(8), lldptool-app(8), lldptool-pfc(8); Broadcom niccli, "getqos"; AMD
 * nicctl, "show qos"; iproute2, dcb(8).
 */
import { listOf, Refused } from './texts.test-data.ts'

/** A part of a text in another form; it must be there. */
export function replaced(text: string, pattern: RegExp, by: (match: string[]) => string, line: string): string {
  if (!pattern.test(text)) throw new Refused(line, `the output has no ${pattern.source}`)
  return text.replace(pattern, (...match: string[]) => by(match))
}

const DSCPS = Array.from({ length: 64 }, (_, d) => d)

/** A driver maps DSCPs by their first three bits as long as nobody says otherwise. */
const usualPriority = (d: number): number => d >> 3

/** mlnx_qos prints the map of DSCPs where they are trusted. */
export function mlnxTrust(text: string, trust: string, line: string): string {
  const [, old] = /^Priority trust state: (\w+)$/m.exec(text) ?? []
  const said = replaced(text, /^Priority trust state: \w+$/m, () => `Priority trust state: ${trust}`, line)
  if (old === trust) return said
  if (trust !== 'dscp') return said.replace(/^dscp2prio mapping:\n(?:\tprio:.*\n)*/m, '')
  return /^dscp2prio mapping:/m.test(said)
    ? said
    : said.replace('Priority trust state: dscp\n', (all) => all + mlnxMap(DSCPS.map(usualPriority)))
}

function mlnxMap(map: readonly number[]): string {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((p) => {
    const dscps = DSCPS.filter((d) => map[d] === p).toReversed()
    return dscps.length === 0
      ? []
      : [`\tprio:${p} dscp:${dscps.map((d) => `${String(d).padStart(2, '0')},`).join('')}\n`]
  })
  return `dscp2prio mapping:\n${rows.join('')}`
}

export function mlnxDscp(text: string, dscp: number, priority: number, line: string): string {
  if (!text.includes('Priority trust state: dscp')) throw new Refused(line, 'the NIC trusts priorities of tags')
  const map = DSCPS.map(usualPriority)
  for (const [, p, dscps = ''] of text.matchAll(/^\tprio:(\d) dscp:([\d,]+)$/gm))
    for (const d of dscps.split(',')) if (d !== '') map[Number(d)] = Number(p)
  map[dscp] = priority
  return replaced(text, /^dscp2prio mapping:\n(?:\tprio:.*\n)*/m, () => mlnxMap(map), line)
}

/** A row of eight numbers under "priority    0   1   2 ...". */
export function mlnxRow(text: string, word: 'enabled' | 'buffer', values: readonly string[], line: string): string {
  const pattern = new RegExp(`^(\\t${word}\\s+)[\\d ]+$`, 'm')
  return replaced(text, pattern, ([, start]) => `${start}${values.join('   ')}   `, line)
}

/** Buffers do not exceed what the NIC has. */
export function checkSum(sizes: readonly number[], most: number, line: string): void {
  if (sizes.reduce((sum, size) => sum + size, 0) > most) throw new Refused(line, `more than ${most} bytes`)
}

export function mlnxSizes(text: string, sizes: readonly string[], line: string): string {
  const pattern = /^(Receive buffer size \(bytes\): )[\d,]+?(,max_buffer_size=(\d+))$/m
  checkSum(sizes.map(Number), Number(pattern.exec(text)?.[3]), line)
  return replaced(text, pattern, ([, start, , most]) => `${start}${sizes.join()},max_buffer_size=${most}`, line)
}

/** Entries of the APP TLV, as lldptool and niccli print them, last first. */
const APP = /^IEEE 8021QAZ APP TLV:?\n(?:\t APP#\d+:\n\t {2}Priority: \d\n\t {2}Sel: \d\n\t {2}\w+: \d+\n\n?)*/m
const ENTRY = /Priority: (\d)\n\t {2}Sel: (\d)\n\t {2}(\w+): (\d+)/g

export function appText(text: string, change: { add?: string; gone?: string }, line: string): string {
  const [section = ''] = APP.exec(text) ?? []
  let entries = [...section.matchAll(ENTRY)].map(([, prio, sel, , pid]) => `${prio},${sel},${pid}`)
  if (change.gone !== undefined) {
    if (!entries.includes(change.gone)) throw new Refused(line, 'no such entry')
    entries = entries.filter((one) => one !== change.gone)
  }
  if (change.add !== undefined) {
    const [, ...rest] = change.add.split(',')
    // dcb replaces the entries of the same selector and protocol; lldptool adds to them.
    if (line.startsWith('dcb')) entries = entries.filter((one) => one.split(',').slice(1).join() !== rest.join())
    if (!entries.includes(change.add)) entries.push(change.add)
  }
  const words = entries.map((one, i) => {
    const [prio, sel, pid] = one.split(',')
    return `\t APP#${i}:\n\t  Priority: ${prio}\n\t  Sel: ${sel}\n\t  ${sel === '5' ? 'DSCP' : 'Ethertype'}: ${pid}\n\n`
  })
  const [title] = /^IEEE 8021QAZ APP TLV:?\n/.exec(section) ?? ['IEEE 8021QAZ APP TLV:\n']
  const made = title + words.join('')
  if (section !== '') return text.replace(APP, () => made)
  return /^TC Rate Limit/m.test(text) ? text.replace(/^TC Rate Limit/m, (all) => made + all) : text + made
}

/** "PFC enabled: 3". */
export const pfcText = (text: string, priorities: readonly string[], line: string): string =>
  replaced(text, /^(\t PFC enabled:).*$/m, ([, start]) => `${start} ${priorities.join(', ') || 'none'}`, line)

export interface DcbOutput {
  pfc?: { prio_pfc: boolean[] }
  app?: { dscp_prio?: [number, number, string][] }
  buffer?: { prio_buffer: number[]; buffer_size: number[]; total_size: number }
  apptrust?: { order: string[] }
}

/** JSON that dcb -j printed, behind a line with its command, if there is one. */
export function dcbText(text: string, change: (output: DcbOutput) => void): string {
  const [, head = '', json = ''] = /^(#.*\n)?([^]*)$/.exec(text) ?? []
  const output = JSON.parse(json) as DcbOutput
  change(output)
  return `${head}${JSON.stringify(output)}\n`
}

const bitmap = (numbers: readonly number[], digits: number): string =>
  `0x${numbers
    .reduce((sum, n) => sum | (1n << BigInt(n)), 0n)
    .toString(16)
    .padStart(digits, '0')}`

/** nicctl: all NICs that it shows. */
export function nicctlDscp(text: string, dscp: number, priority: number): string {
  return text.replaceAll(/^ {2}DSCP-to-priority :\n(?: {4}DSCP.*\n)+/gm, (section) => {
    const map: number[] = DSCPS.map(() => 0)
    for (const [, list = '', p] of section.matchAll(/DSCP {2,}: ([\d, -]+) ==> priority : (\d)/g))
      for (const part of list.split(',')) {
        const [first = 0, last = first] = part.split('-').map(Number)
        for (let d = first; d <= last; d++) map[d] = Number(p)
      }
    map[dscp] = priority
    const rows = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((p) => {
      const dscps = DSCPS.filter((d) => map[d] === p)
      return dscps.length === 0 ? [] : [{ p, dscps }]
    })
    const masks = rows.map(
      ({ p, dscps }) => `    DSCP bitmap               : ${bitmap(dscps, 16)} ==> priority : ${p}\n`,
    )
    const lists = rows.map(
      ({ p, dscps }) => `    DSCP                      : ${listOf(dscps).replaceAll(',', ', ')} ==> priority : ${p}\n`,
    )
    return `  DSCP-to-priority :\n${masks.join('')}${lists.join('')}`
  })
}

export function nicctlPfc(text: string, priority: number, isOn: boolean): string {
  const pattern = /^( {4}PFC priority bitmap {2,}: )(\w+)\n( {4}PFC no-drop priorities {2,}: ).*$/gm
  return text.replaceAll(pattern, (_, start: string, mask: string, second: string) => {
    const now = [0, 1, 2, 3, 4, 5, 6, 7].filter((p) => (Number(mask) >> p) & 1 && p !== priority)
    const made = isOn ? [...now, priority].toSorted((a, b) => a - b) : now
    return `${start}${bitmap(made, 1)}\n${second}${made.join(', ')}`
  })
}
