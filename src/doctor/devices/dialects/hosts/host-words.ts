/**
 * Words that several tools of hosts share: options of commands, keys and values, lists of eight, DSCPs by name, FEC.
 * Sources: dcb(8), dcb-app(8), ethtool(8), RFC 2474, RFC 2597, RFC 3246, RFC 5865.
 */
import { CLASS_COUNT, DSCP_COUNT, PS_PER_MS } from '../../../../core/device-model/index.ts'
import type { Known, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'

/** Fields in which a port can trust. */
export const TRUSTS: readonly string[] = ['dscp', 'pcp', 'both', 'none']

/** The text before the first colon, and the text behind it; undefined: no colon. */
export function keyAndValue(text: string): readonly [key: string, value: string] | undefined {
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : [text.slice(0, colon).trim(), text.slice(colon + 1).trim()]
}

/** Value of an option: "-i eth0", "-tni eth0", "--interface=eth0", "--interface eth0"; '': not given. */
export function optionOf(command: string, short: string, long: string): string {
  const words = command.split(/\s+/)
  for (const [i, word] of words.entries()) {
    if (word.startsWith(`--${long}=`)) return word.slice(long.length + 3)
    if (word === `--${long}` || (/^-[A-Za-z]+$/.test(word) && word.endsWith(short))) return words[i + 1] ?? ''
  }
  return ''
}

/** A whole number from 0 to `most`; undefined: anything else. */
export function wholeIn(text: string, most: number): number | undefined {
  return /^\d{1,15}$/.test(text) && Number(text) <= most ? Number(text) : undefined
}

/** Eight whole numbers up to `most`, with commas between them; undefined: anything else. */
export function eightIn(text: string, most: number): number[] | undefined {
  const numbers = text.split(',').map((one) => wholeIn(one.trim(), most))
  return numbers.length === CLASS_COUNT && numbers.every((one) => one !== undefined) ? numbers : undefined
}

const DSCP_NAMES: Readonly<Record<string, number>> = { EF: 46, VA: 44, LE: 1, BE: 0, DF: 0 }

/** A DSCP: "26", "0x1a", "CS3", "AF31", "EF"; undefined: none. */
export function dscpIn(text: string): number | undefined {
  const name = text.toUpperCase()
  const [, classSelector] = /^CS([0-7])$/.exec(name) ?? []
  const [, group, drop] = /^AF([1-4])([1-3])$/.exec(name) ?? []
  if (classSelector !== undefined) return 8 * Number(classSelector)
  if (group !== undefined) return 8 * Number(group) + 2 * Number(drop)
  const number = DSCP_NAMES[name] ?? (/^(?:\d{1,2}|0X[0-9A-F]{1,2})$/.test(name) ? Number(name) : DSCP_COUNT)
  return number < DSCP_COUNT ? number : undefined
}

/** That the driver chooses the time itself. */
const AUTO = 65_535

/** Time after which a NIC stops its own pauses, from the milliseconds that its driver takes; undefined: not known. */
export function pauseWatchdogPs(text: string): number | string | undefined {
  const ms = wholeIn(text, AUTO - 1)
  return ms === 0 ? 'off' : ms === undefined ? undefined : ms * PS_PER_MS
}

/** Traffic classes of a NIC (IEEE 802.1Q, ETS). */
export interface TrafficClasses {
  /** Traffic class of each priority, where it is known. */
  readonly ofPriority: readonly (number | undefined)[]
  /** "strict", "ets" or another word, by traffic class. */
  readonly kind: readonly (string | undefined)[]
  /** Share of the bandwidth in percent, by traffic class. */
  readonly weight: readonly (number | undefined)[]
}

/** Queue and schedule of the priorities, as far as they are known. */
export function putSchedules(port: PortFacts, classes: TrafficClasses, line: Line, known: Known): void {
  for (const [priority, trafficClass] of classes.ofPriority.entries()) {
    if (trafficClass === undefined || priority >= CLASS_COUNT) continue
    const settings = port.class(priority)
    settings.put('queue', trafficClass, line, known)
    const weight = classes.weight[trafficClass]
    if (classes.kind[trafficClass] === 'strict') settings.put('schedule', 'strict', line, known)
    else if (classes.kind[trafficClass] === 'ets' && weight !== undefined) settings.put('schedule', weight, line, known)
  }
}
