/**
 * Show interface: state, MTU, pauses of the whole link and counters of ports, in the words of NX-OS and EOS, which differ little.
 */
import { ALL_PRIORITIES } from '../../../../core/device-model/index.ts'
import type { Facts, PortFacts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { isPort } from './interfaces.ts'
import { rowsOf } from './rows.ts'

/** Counters by the words around their numbers, in the order of the numbers. */
const COUNTERS: readonly (readonly [RegExp, ...string[]])[] = [
  [/(?:^| )(\d+) (?:input packets|packets input,) (\d+) bytes/, 'rxPackets', 'rxBytes'],
  [/(?:^| )(\d+) (?:output packets|packets output,) (\d+) bytes/, 'txPackets', 'txBytes'],
  [/(?:^| )(\d+) CRC\b/, 'crcErrors'],
  [/(?:^| )(\d+) input discards?\b/, 'dropInPort'],
  [/(?:^| )(\d+) output discards?\b/, 'dropOut'],
]

function putState(text: string, isUp: boolean, { settings }: PortFacts, line: Line): void {
  const [, mtu] = /\bMTU (\d+) bytes/.exec(text) ?? []
  if (mtu !== undefined) settings.put('mtuBytes', Number(mtu), line, 'operational')
  const [, kilobits] = /\bBW (\d+) Kbit/i.exec(text) ?? []
  if (kilobits !== undefined && isUp) settings.put('rateBps', Number(kilobits) * 1000, line, 'operational')
  const [, takes, sends] = /^input flow-control is (on|off), output flow-control is (on|off)/i.exec(text) ?? []
  if (takes === undefined) return
  settings.put('takesGlobalPause', takes === 'on', line, 'operational')
  settings.put('sendsGlobalPause', sends === 'on', line, 'operational')
}

/** Notes what a part says of its Ethernet ports. @param ethernet word of the dialect for them */
export function readInterfaces(part: Part, ethernet: string, facts: Facts): void {
  facts.kind = 'switch'
  let port = ''
  let isUp = false
  let isWhole = true
  for (const { line, words } of rowsOf(part, facts)) {
    const text = words.join(' ')
    const [, name, state] = /^([A-Za-z][\w./:-]*\d) is ([\w ]+)/.exec(text) ?? []
    if (name !== undefined) {
      port = isPort(name, ethernet) ? name : ''
      isUp = state === 'up'
      if (port === '') continue
      isWhole = false
      facts.port(port).settings.put('isUp', isUp, line, 'operational')
      continue
    }
    if (port === '') continue
    putState(text, isUp, facts.port(port), line)
    for (const [pattern, ...names] of COUNTERS) {
      const numbers = pattern.exec(text)?.slice(1) ?? []
      for (const [i, number] of numbers.entries()) facts.count(port, ALL_PRIORITIES, names[i]!, Number(number), line)
      if (numbers.length > 0 && names[0] === 'dropOut') isWhole = true
    }
  }
  if (!isWhole) facts.cut(part.lines.at(-1)!, 'output discards')
}
