/** Why nothing could be read in a capture, in words. */
import { exactCount } from '../../core/base/format.ts'
import type { Decoded } from '../decode/index.ts'
import { counted } from '../../core/findings/index.ts'
import { linkName } from '../../core/wire/index.ts'

/** Names that are listed. */
const NAMES_MAX = 4

/** "link type 258 (PKTAP)" */
export function linkText(number: number): string {
  const name = linkName(number)
  return `link type ${number}${name === null ? '' : ` (${name})`}`
}

/** Kinds of frames by name, the most frequent first: "42 of UDP port 53" */
export function kindsText(kinds: Readonly<Record<string, number>>): string {
  const all = Object.entries(kinds)
  const shown = all.slice(0, NAMES_MAX).map(([name, count]) => `${exactCount(count)} of ${name}`)
  return [...shown, ...(all.length > NAMES_MAX ? ['others'] : [])].join(', ')
}

/** Each reason by itself; none: something was read. */
export function unreadReasons({ counts, facts, exchanged }: Decoded): readonly string[] {
  const { damage } = facts
  if (counts.rocePackets > 0 || counts.macControl > 0) return []
  const { roce1, damaged, tcp, otherKinds } = counts
  const reasons = [
    ...(exchanged === null
      ? []
      : [
          `${exchanged.program} exchanges queue pairs in TCP (QPs ${exchanged.qps.join(', ')}${exchanged.hasMore ? ', ...' : ''}), and no packet of it is here: ` +
            "captures on a NIC's interface do not see RoCE, which passes by the kernel; use the NIC's sniffer or a mirror port",
        ]),
    ...[...facts.unreadable].map(
      ([number, count]) => `${counted(count, 'frame')} of ${linkText(number)}, which is not read`,
    ),
    ...(roce1 === 0 ? [] : [`${counted(roce1, 'frame')} of RoCE version 1 (EtherType 8915), which is not read`]),
    ...(damaged === 0 ? [] : [`${counted(damaged, 'frame')} cut too short, damaged or fragments of IP`]),
    ...(Object.keys(otherKinds).length === 0 ? [] : [`${kindsText(otherKinds)}, which is not read`]),
  ]
  if (reasons.length > 0) return reasons
  if (damage !== null) return [`${damage.what} at byte ${damage.atByte}`]
  return [
    tcp === 0 ? 'it has no frame of data' : `${counted(tcp, 'frame')} of TCP, and no exchange of queue pairs in them`,
  ]
}
