/**
 * Kinds of origins: where pauses and losses come from by counters alone (docs/models/localiser.md).
 */
import { humanShare } from '../../base/format.ts'
import { defineFinding, type FindingKind, type Subject, type Values } from '../finding.ts'
import { counted } from '../words.ts'

/** Common values of all origins. */
export interface OriginValues extends Values {
  /** high, medium or low; of those of low confidence none is named as the origin. */
  readonly confidence: string
  /** Share of the blame for all pauses, or of all losses of the kind. */
  readonly blameShare: number
  /** Share of an interval that it stops those that it hits, at most. */
  readonly impactShare: number
  readonly intervals: number
  /** Ports that were held. */
  readonly victims: number
  /** Name of the port at its device; "" where it is not known. */
  readonly portName: string
}

type Origin = Pick<FindingKind<OriginValues>, 'id' | 'meaning' | 'remedy' | 'source'> & {
  /** "a storm": it stands behind "the origin is". */
  readonly name: string
}

function defineOrigin({ name, ...kind }: Origin): FindingKind<OriginValues> {
  return defineFinding<OriginValues>({
    ...kind,
    severity: 'warning',
    evidence: ['counters'],
    weight: ({ blameShare, impactShare }) => blameShare * impactShare,
    text: (values, subject) => textOf(name, values, subject),
  })
}

function textOf(name: string, values: OriginValues, { device }: Subject): string {
  const { confidence, blameShare, intervals, victims, portName } = values
  const isNamed = confidence !== 'low'
  const where = `${device ?? 'the fabric'}${portName === '' ? '' : `, port ${portName}`}`
  const held = victims === 0 ? '' : `, of ${counted(victims, 'held port')}`
  return (
    `${isNamed ? '' : 'possibly '}${name} at ${where}: ${humanShare(blameShare)} of the blame${held}, ` +
    `in ${counted(intervals, 'interval')}; confidence ${confidence}`
  )
}

export const storm = defineOrigin({
  id: 'origin-storm',
  name: 'a pause storm',
  meaning: 'A host holds its switch without end and receives nothing, or a watchdog has ended that.',
  source: '[MS-Scale] sections 4.3, 6.2',
  remedy: 'take the host out of service and power-cycle it; let a watchdog at its switch port end such storms',
})

export const slowReceiver = defineOrigin({
  id: 'origin-slow-receiver',
  name: 'a slow receiver',
  meaning: 'A host holds its switch for a part of the time while it receives: its NIC cannot take the line rate.',
  source: '[MS-Scale] section 4.4',
  remedy: 'large pages, fewer queue pairs and memory regions; look at PCIe lanes, ATS and IOMMU of the host',
})

export const incast = defineOrigin({
  id: 'origin-incast',
  name: 'an incast',
  meaning: 'A port to a host is full, and its switch holds those that send to it, or drops.',
  source: '[MS-Scale] section 6.2',
  remedy: 'fewer senders at a time; ECN thresholds below those of PFC, so that congestion control acts first',
})

export const oversubscription = defineOrigin({
  id: 'origin-oversubscription',
  name: 'oversubscription',
  meaning: 'A port between switches is full, and its switch holds those that send to it, or drops.',
  source: '[MS-Scale] section 5.2',
  remedy: 'more or faster links between the tiers, or less traffic between racks',
})

export const alpha = defineOrigin({
  id: 'origin-alpha',
  name: 'a small alpha',
  meaning: 'A switch holds its neighbours at shorter queues than its peers do: its share of the buffer is smaller.',
  source: '[MS-Scale] section 6.2',
  remedy: 'compare alpha and buffer profiles with those of its role, and give it theirs',
})

export const noisyHost = defineOrigin({
  id: 'origin-noisy-host',
  name: 'a noisy host',
  meaning: 'A host sends most of what fills a port, far more than others, or ignores what should slow it down.',
  source: '[MS-Scale] section 5.2',
  remedy: 'switch its congestion control on (reaction point), or limit its traffic',
})

export const bitErrors = defineOrigin({
  id: 'origin-bad-cable',
  name: 'a bad cable',
  meaning: 'A link has bit errors that came in nowhere before it.',
  source: 'docs/models/localiser.md',
  remedy: 'clean or replace the cable, its optics, or the port',
})

export const deadlock = defineOrigin({
  id: 'origin-deadlock',
  name: 'a deadlock',
  meaning: 'Ports hold each other in a circle and send nothing, which does not end by itself.',
  source: '[MS-Scale] section 4.2',
  remedy: 'take one link of the circle down; drop lossless packets that would be flooded',
})

export const headroom = defineOrigin({
  id: 'origin-headroom',
  name: 'too small a headroom',
  meaning: 'A port drops packets of a lossless class although it holds its peer, which obeys.',
  source: 'docs/models/headroom.md',
  remedy: 'more headroom (XOFF bytes) for the speed and length of the link',
})

export const reordering = defineOrigin({
  id: 'origin-reordering',
  name: 'reordering',
  meaning: 'Packets arrive out of order though none is lost or held: packets of a flow take several paths.',
  source: 'docs/models/localiser.md',
  remedy: 'no packet spraying or adaptive routing with NICs that go back to the first missing packet',
})

export const unknown = defineOrigin({
  id: 'origin-unknown',
  name: 'an origin of unknown kind',
  meaning: 'A device holds its neighbours or drops, and its counters do not tell why, or are not there.',
  source: 'docs/models/localiser.md',
  remedy: 'collect counters and configuration of the device',
})
