/**
 * Findings on buffers of switches: headroom, thresholds that do not go together, classes that PFC does not protect.
 */
import { formatQuantity } from '../../base/units.ts'
import { humanBytes, humanDuration, humanShare } from '../../base/format.ts'
import { defineFinding, type NoValues } from '../finding.ts'
import { classText, linkText } from '../words.ts'

const NEED = 'cable there and back, a frame in each direction, PFC frames and reaction time, in whole frames'
const STANDARD = '802.1Qbb annex O; [MS-Scale] section 2'

type LinkValues = { givenBytes: number; rateBps: number; delayPs: number; ports: number }

export const headroomBelowNeed = defineFinding<
  LinkValues & { neededBytes: number; losslessClasses: readonly number[]; isAboveXoff: boolean }
>({
  id: 'headroom-below-need',
  severity: 'error',
  meaning:
    'More bytes can arrive at a port after it has sent XOFF than it keeps room for: a lossless class may lose packets.',
  formula: `headroom kept < ${NEED}`,
  source: STANDARD,
  remedy: 'set switch.buffer.headroom=off to have it computed, or give more',
  text: ({ givenBytes, neededBytes, losslessClasses, isAboveXoff, ...link }) =>
    `${losslessClasses.length === 0 ? 'a lossless class' : classText(losslessClasses)} is paused by PFC and may still lose packets: ` +
    `${humanBytes(neededBytes)} can arrive after XOFF on links of ${linkText(link)}, and ${humanBytes(givenBytes)} ` +
    (isAboveXoff ? 'are left above xoff' : 'are kept for it'),
  advice: ({ isAboveXoff }) =>
    isAboveXoff ? 'set switch.buffer.xoff lower' : 'set switch.buffer.headroom=off to have it computed',
  weight: ({ neededBytes, givenBytes }) => neededBytes - givenBytes,
})

type ShippedValues = {
  leastShippedBytes: number
  leastShippedModel: string
  mostShippedBytes: number
  mostShippedModel: string
}

/** "426 KB (Arista-7060X6-64PE-B-P32O64) to 446 KB (Arista-7060X6-64PE-B-O128)" */
export function shippedText(values: ShippedValues): string {
  const least = `${humanBytes(values.leastShippedBytes)} (${values.leastShippedModel})`
  if (values.leastShippedBytes === values.mostShippedBytes) return least
  return `${least} to ${humanBytes(values.mostShippedBytes)} (${values.mostShippedModel})`
}

type FamilyValues = LinkValues & { family: string }

export const headroomBelowFamily = defineFinding<
  FamilyValues & { isSharedBuffer: boolean } & ({ neededBytes: number } | (ShippedValues & { familyName: string }))
>({
  id: 'headroom-below-family',
  severity: 'warning',
  meaning: 'Headroom is enough in the simulation, but hardware of the family that the scenario names needs more.',
  formula: `headroom kept < what the family needs by its formula, or ships with`,
  source: 'docs/models/headroom.md',
  remedy: 'set switch.buffer.headroomFormula=hardware with headroom=off; rocelab headroom FILE shows the sums',
  text: (values) => {
    const { givenBytes } = values
    const begin = 'headroom is enough in this simulation but not on hardware'
    if ('neededBytes' in values)
      return (
        `${begin}, where peers react later and cells are partly empty: ${values.family} needs ${humanBytes(values.neededBytes)} ` +
        `on links of ${linkText(values)}, and ${humanBytes(givenBytes)} are kept`
      )
    return `${begin}: switches of ${values.familyName} keep ${shippedText(values)} on links of ${linkText(values)}, and ${humanBytes(givenBytes)} are kept here`
  },
  advice: ({ isSharedBuffer }) =>
    isSharedBuffer
      ? 'set switch.buffer.headroomFormula=hardware and headroom=off'
      : 'rocelab headroom FILE shows the sums',
})

export const headroomOfFamilyUnknown = defineFinding<FamilyValues & ({ estimateBytes: number } | ShippedValues)>({
  id: 'headroom-of-family-unknown',
  severity: 'note',
  meaning:
    'Whether headroom is enough for hardware of the named family is not public, or depends on the model of the switch.',
  source: 'docs/models/headroom.md',
  remedy: 'ask the maker of the switch, or measure',
  text: (values) => {
    const given = humanBytes(values.givenBytes)
    if ('estimateBytes' in values)
      return (
        `it is not known whether ${given} of headroom are enough on links of ${linkText(values)} for ${values.family}: no formula is public, ` +
        `and no table with this rate and length is known; an estimate is ${humanBytes(values.estimateBytes)}`
      )
    return (
      `whether ${given} of headroom are enough on links of ${linkText(values)} depends on the model of the switch: ` +
      `${values.family} keeps ${shippedText(values)}`
    )
  },
  advice: () => '',
})

export const oneHeadroomForAllLinks = defineFinding<{
  givenBytes: number
  leastBytes: number
  leastRateBps: number
  leastDelayPs: number
  mostBytes: number
  mostRateBps: number
  mostDelayPs: number
}>({
  id: 'one-headroom-for-all-links',
  severity: 'note',
  meaning: 'One headroom is given for links of which some need less than half of what others do.',
  formula: `most needed > 2 * least needed`,
  source: STANDARD,
  remedy: 'leave headroom off to have it computed, or give it by changes',
  text: (values) =>
    `all ports keep ${humanBytes(values.givenBytes)} of headroom, whatever their rate and cable: needed are ` +
    `${humanBytes(values.leastBytes)} at ${linkText({ rateBps: values.leastRateBps, delayPs: values.leastDelayPs })} and ` +
    `${humanBytes(values.mostBytes)} at ${linkText({ rateBps: values.mostRateBps, delayPs: values.mostDelayPs })}`,
  advice: ({ leastRateBps, leastDelayPs }) =>
    'leave headroom off to have it computed, or give it by changes ' +
    `(ports: ${formatQuantity('rate', leastRateBps)} ${formatQuantity('duration', leastDelayPs)})`,
})

export const reservesBeyondBuffer = defineFinding<{
  dataClasses: number
  reservedClasses: number
  ports: number
  beyondBytes: number
  beyondShare: number
}>({
  id: 'reserves-beyond-buffer',
  severity: 'warning',
  meaning: 'Data has more classes than reserves are set aside for: a switch may hold more than its buffer has.',
  formula: 'ports * (data classes - reservedClasses) * reserve > 5 % of the buffer',
  source: '',
  remedy: 'set switch.buffer.reservedClasses to the number of classes that data has',
  text: ({ dataClasses, reservedClasses, ports, beyondBytes, beyondShare }) =>
    `data has ${dataClasses} classes and the buffer sets reserves aside for ${reservedClasses}: a switch of ${ports} ports may hold ` +
    `${humanBytes(beyondBytes)} (${humanShare(beyondShare, 2)}) more than its size`,
  advice: ({ dataClasses }) => `set switch.buffer.reservedClasses=${dataClasses}`,
})

export const bufferSizeAssumed = defineFinding<{ sizeBytes: number; setAsideBytes: number }>({
  id: 'buffer-size-assumed',
  severity: 'note',
  meaning:
    'No size of the buffer is given, and the usual one cannot hold its reserves and headroom: a larger one was chosen.',
  source: '',
  remedy: 'set switch.buffer.size to that of your switches',
  text: ({ sizeBytes, setAsideBytes }) =>
    `no switch.buffer.size is given: it has ${formatQuantity('size', sizeBytes)}, as its reserves and headroom take ${humanBytes(setAsideBytes)}`,
})

export const pfcClassWithoutData = defineFinding<{
  pfcClasses: readonly number[]
  dataClasses: readonly number[]
  wantedClasses: readonly number[]
}>({
  id: 'pfc-class-without-data',
  severity: 'error',
  meaning: 'PFC is on for a class that carries no data, and data are in a class without PFC.',
  source: '[MS-Scale] section 2',
  remedy: 'set pfc.classes to the classes of the data, or turn PFC off (pfc.classes=[])',
  text: ({ pfcClasses, dataClasses }) =>
    `PFC is on for ${classText(pfcClasses)}, which has no data, and data of ${classText(dataClasses)} have no PFC: nothing pauses them, ` +
    'and they are dropped when a buffer is full',
  advice: ({ wantedClasses }) => `set pfc.classes to [${wantedClasses.join(', ')}], or turn PFC off (pfc.classes=[])`,
})

export const pausesExpire = defineFinding<NoValues>({
  id: 'pauses-expire',
  severity: 'warning',
  meaning: 'Pauses expire and are not refreshed: a sender resumes while the buffer is still full.',
  source: '802.1Qbb',
  remedy: 'set pfc.refresh, or pfc.expiry=false',
  text: () => 'pauses expire and are not refreshed: a class whose buffer stays full for longer loses packets',
})

export const trimmedHeadersFillLink = defineFinding<{ senders: number }>({
  id: 'trimmed-headers-fill-link',
  severity: 'warning',
  meaning: 'Headers of trimmed packets go before all data: those of enough senders leave no room for data.',
  formula: 'senders * header on the wire > packet on the wire',
  source: '[NDP] section 3.1',
  remedy: 'give their class a share of the link with switch.scheduler=dwrr',
  text: ({ senders }, { trafficClass }) =>
    `headers of trimmed packets are sent before all data (class ${trafficClass} is in switch.strictClasses): those of ${senders} senders ` +
    'at line rate fill the link and no data gets through',
})

type CircleStep = { node: string; port: number; peer: string; host: string; isFlooded: boolean }

/** Steps of a circle that are written out. */
const STEPS_MAX = 8

export const deadlockPossible = defineFinding<{ pfcClasses: readonly number[]; steps: readonly CircleStep[] }>({
  id: 'deadlock-possible',
  severity: 'error',
  meaning: 'The routes of a lossless class have a cyclic buffer dependency: ports may pause each other for ever.',
  formula: 'a circle in the graph whose edges are "the buffer behind this port waits for that port"',
  source: '[MS-Scale] section 4.2',
  remedy: 'use other routes, flood no packets of lossless classes, or turn PFC off (pfc.classes=[])',
  text: ({ pfcClasses, steps }) => {
    const isFlooded = steps.some((step) => step.isFlooded)
    const shown = steps.length > STEPS_MAX ? steps.slice(0, STEPS_MAX - 1) : steps
    const left = steps.length - shown.length
    const circle = [
      ...shown.map(
        (step) => `${step.node} port ${step.port} to ${step.peer} (${step.host}${step.isFlooded ? ', flooded' : ''})`,
      ),
      ...(left > 0 ? [`${left} more`] : []),
      `${steps[0]!.node} port ${steps[0]!.port}`,
    ].join(' > ')
    return (
      `pauses of ${classText(pfcClasses)} may deadlock: the routes${isFlooded ? ' and floods' : ''} have a cyclic buffer dependency, ` +
      `${circle}, in which each port may wait for the next because of packets for the host in brackets`
    )
  },
  advice: ({ steps }) => {
    const remedy = steps.some((step) => step.isFlooded) ? 'flood no packets of these classes' : 'use other routes'
    return `${remedy}, or turn PFC off (pfc.classes=[])`
  },
})

export const silentHostUnreachable = defineFinding<{ classes: readonly number[]; onIncomplete: string }>({
  id: 'silent-host-unreachable',
  severity: 'warning',
  meaning:
    'A host has no MAC entry and sends nothing: packets for it are dropped although it is up, and it stays unreachable.',
  source: '[MS-Scale] section 4.2',
  remedy: 'use switch.layer2.onIncomplete=cpu, which asks for the address, or flood',
  text: ({ classes, onIncomplete }) =>
    `its MAC entry is missing and it sends nothing of its own: packets of ${classText(classes)} for it are dropped ` +
    `(onIncomplete ${onIncomplete}) and it stays unreachable, although it is up`,
  advice: () => 'use onIncomplete=cpu, which asks for the address, or flood',
})

export const watchdogWithoutPfc = defineFinding<NoValues>({
  id: 'watchdog-without-pfc',
  severity: 'note',
  meaning: 'Switches have a PFC watchdog, and no class has PFC.',
  source: '[MS-Scale] section 4.3',
  remedy: 'leave switch.watchdog out',
  text: () => 'switch.watchdog has nothing to watch: no class has PFC (pfc.classes is empty)',
  advice: () => 'leave it out',
})

export const watchdogTimeUnusual = defineFinding<{ timePs: number; leastPs: number; mostPs: number }>({
  id: 'watchdog-time-unusual',
  severity: 'note',
  meaning: 'A time of the watchdog is one that real switches do not take.',
  formula: 'detectionTime 100 ms to 5 s, restorationTime 100 ms to 60 s, pollInterval 100 ms to 1 s',
  source: 'sonic-yang-models, PFC_WD',
  remedy: 'take a time within the range where the scenario stands for a real fabric',
  text: ({ timePs, leastPs, mostPs }, { path }) =>
    `${path} is ${humanDuration(timePs)}; switches take ${humanDuration(leastPs)} to ${humanDuration(mostPs)}, which matters where the scenario stands for a real one`,
  advice: () => '',
})
