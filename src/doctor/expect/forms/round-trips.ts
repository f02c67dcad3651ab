/** Times of round trips: ping, and lines that name one: "ConnectX-5, through one switch: raw round trip 2170 ns". */
import { LINE_MAX, linesOf, type Log, type RoundTripReading } from '../readings.ts'
import { factsIn } from '../fabric-line.ts'

const NAMED = /^(.*?)[:,]?\s*\b(?:raw )?(?:round trip|rtt)\b\s*(?:time\s*)?[:=]?\s*(\d+(?:\.\d+)?)\s*(ns|us|ms)\s*$/i
const PING = /^(?:rtt|round-trip) min\/avg\/max(?:\/\w+)? = [\d.]+\/([\d.]+)\/[\d./]+ (ms|us)/
const PINGED = /^--- (\S+) ping statistics/
const NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6 }

export function readRoundTrips(file: string, text: string): Log | undefined {
  const readings: RoundTripReading[] = []
  let pinged = ''
  for (const { line, text: words } of linesOf(text)) {
    if (words.length > LINE_MAX) continue
    pinged = PINGED.exec(words)?.[1] ?? pinged
    const ping = PING.exec(words)
    const named = ping === null ? NAMED.exec(words) : null
    const [label, value, unit] = ping === null ? [named?.[1], named?.[2], named?.[3]] : [pinged, ping[1], ping[2]]
    if (value === undefined) continue
    const { facts } = factsIn(label ?? '')
    readings.push({
      kind: 'round-trip',
      file,
      line,
      label: (label ?? '').trim(),
      roundTripNs: Number(value) * NS[unit!.toLowerCase()]!,
      nic: (facts.nic as string | undefined) ?? null,
      switches: (facts.switches as number | undefined) ?? null,
    })
  }
  return readings.length === 0 ? undefined : { file, readings, unread: [], untested: [] }
}
