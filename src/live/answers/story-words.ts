/** Words for the events of a connection's story. */
import { humanBytes, humanDuration, exactCount } from '../../core/base/format.ts'
import type { Passed, Share, StoryEvent } from '../decode/index.ts'
import { captureFindings, counted } from '../../core/findings/index.ts'
import { RNR_WAIT_US, rejectReason } from '../../core/wire/index.ts'

const { answers, losses } = captureFindings
type Of<K extends StoryEvent['kind']> = Extract<StoryEvent, { kind: K }>
type Values = StoryEvent['findings'][number]['values']

/** Names of the two ends. */
export const SIDES: readonly string[] = ['A', 'B']
const otherOf = (side: number): string => SIDES[1 - side]!

/** Statuses by syndrome. */
const REFUSED: Readonly<Record<string, string>> = {
  61: 'invalid request, status 9',
  62: 'remote access error, status 10',
  63: 'remote operation error, status 11',
}

/** @param all events of the story */
export function eventText(event: StoryEvent, all: readonly StoryEvent[]): string {
  if (event.kind === 'traffic') return trafficText(event)
  if (event.kind === 'management') return managementText(event, all)
  return event.kind === 'refusal' ? refusalText(event, all) : packetsText(event)
}

function trafficText({ shares, side }: Of<'traffic'>): string {
  const order = side === 0 ? ([0, 1] as const) : ([1, 0] as const)
  const parts = order.flatMap((one) => {
    const own = shareTexts(shares[one])
    return own.length === 0 ? [] : [`${SIDES[one]} ${own.join(', ')}`]
  })
  return parts.join('; ')
}

function shareTexts(share: Share): string[] {
  const { requests, payloadBytes, messages, firstPsn, lastPsn, responses, responseBytes, acks } = share
  const whole = Object.entries(messages).flatMap(([name, count]) =>
    count > 0 ? [`${exactCount(count)} ${name.toUpperCase()}`] : [],
  )
  const bytes = payloadBytes === 0 ? '' : `, ${humanBytes(payloadBytes)}`
  return [
    ...(requests === 0
      ? []
      : [
          `sends ${counted(requests, 'packet')}${bytes}, ${psnsText(firstPsn!, lastPsn!)}` +
            (whole.length === 0 ? '' : ` (${whole.join(', ')})`),
        ]),
    ...(responses === 0
      ? []
      : [
          `responds with ${counted(responses, 'packet')}${responseBytes === 0 ? '' : `, ${humanBytes(responseBytes)}`}, ` +
            `up to PSN ${share.acknowledgedPsn}${acks === 0 ? '' : `, and sends ${counted(acks, 'ACK')}`}`,
        ]),
    ...(acks === 0 || responses > 0
      ? []
      : [`acknowledges up to PSN ${share.acknowledgedPsn} (${counted(acks, 'ACK')})`]),
    ...(share.marked === 0 ? [] : [`${exactCount(share.marked)} of its packets are marked CE here`]),
    ...(share.cnps === 0 ? [] : [`sends ${counted(share.cnps, 'CNP')}`]),
  ]
}

function managementText(
  { side, message, qp, reason, againAfterPs, timePs }: Of<'management'>,
  all: readonly StoryEvent[],
): string {
  const own = SIDES[side]!
  const number = qp === null ? '' : ` QP ${qp}`
  const words: Readonly<Record<string, string>> = {
    REQ: `${own} asks to connect its${number} (REQ)`,
    REP: `${own} accepts with its${number} (REP)`,
    RTU: `${own} confirms (RTU)`,
    REJ: `${own} rejects (REJ), reason ${reason}: ${rejectReason(reason ?? 0) ?? 'not known'}`,
    DREQ: `${own} asks to disconnect (DREQ)`,
    DREP: `${own} agrees to disconnect (DREP)`,
    MRA: `${own} asks for more time (MRA)`,
  }
  const text = words[message] ?? `${own} sends ${message}`
  if (againAfterPs === null) return text
  const isReady = all.some((one) => one.kind === 'management' && one.message === 'RTU' && one.timePs < timePs)
  const why = message === 'REP' && isReady ? 'the RTU did not arrive' : 'it, or the answer to it, was lost or late'
  const isRepeated = message === 'REQ' || message === 'REP' || message === 'DREQ'
  return `${text} again, ${humanDuration(againAfterPs)} after the one before${isRepeated ? `: ${why}` : ''}`
}

function refusalText(event: Of<'refusal'>, all: readonly StoryEvent[]): string {
  const { side, syndrome, timerCode, psn, isHeeded, sent } = event
  const own = SIDES[side]!
  const unheeded = `; ${otherOf(side)} does not react: the NAK was lost behind this point, or ignored`
  if (timerCode !== null) {
    const waitPs = RNR_WAIT_US[timerCode]! * 1e6
    return (
      `${own} has no receive for PSN ${psn}${agoText(event, sent)}: RNR NAK, timer code ${timerCode}, ` +
      `${otherOf(side)} is to wait ${humanDuration(waitPs)}`
    )
  }
  if (syndrome === '60') {
    return `${own} misses PSN ${psn} (NAK 60)${agoText(event, sent)}${missedText(event, all)}${isHeeded === false ? unheeded : ''}`
  }
  const [refused] = event.findings
  const { request, address, key, lengthBytes } = refused?.values ?? {}
  const memory =
    typeof address === 'string' && address !== ''
      ? ` of ${typeof lengthBytes === 'number' ? lengthBytes : 8} bytes at ${address}, rkey ${typeof key === 'string' ? key : '-'}`
      : ''
  const what = typeof request === 'string' && request !== '' ? `, ${request}${memory}` : ''
  return `${own} refuses PSN ${psn}${what}: NAK ${syndrome} (${REFUSED[syndrome] ?? 'reserved'})`
}

/** Where the packet of a NAK 60 was lost. */
function missedText(event: Of<'refusal'>, all: readonly StoryEvent[]): string {
  const { sent, psn, timePs } = event
  if (sent === null) return ', which did not pass here: lost before this point'
  if (valuesOf(event, losses.lossBefore.id) !== undefined) return ', and left out since: lost before this point'
  const isDamaged = all.some(
    (one) => one.kind === 'packets' && one.what === 'damaged' && one.frame <= sent.frame && sent.frame <= one.endFrame,
  )
  if (isDamaged) return ' with a wrong ICRC'
  const isHeld = all.some(
    (one) =>
      one.kind === 'refusal' &&
      one.timerCode !== null &&
      one.psn === psn &&
      one.timePs >= sent.timePs &&
      one.timePs <= timePs,
  )
  if (isHeld) return ': it follows from the RNR NAK, as later packets came'
  return valuesOf(event, losses.lossAfter.id) === undefined ? '' : ': lost or overtaken behind this point'
}

function packetsText(event: Of<'packets'>): string {
  const { side, what, psn, lastPsn, packets } = event
  const own = SIDES[side]!
  const psns = psnsText(psn, lastPsn)
  switch (what) {
    case 'again':
      return `${own} sends ${counted(packets, 'packet')} again, ${psns}${restText(event)}: ${causeText(event)}${doneText(event)}`
    case 'late': {
      const behindPs = valuesOf(event, losses.reordered.id)?.['latePs']
      const behind = typeof behindPs === 'number' ? `, ${humanDuration(behindPs)} behind later ones` : ''
      return `${counted(packets, 'packet')} of ${own} out of order, ${psns}${behind}: overtaken before this point`
    }
    case 'hole':
      return `${counted(packets, 'packet')} of ${own} missing here, ${psns}: a later one came`
    case 'copy':
      return `${counted(packets, 'packet')} of ${own} twice, ${psns}: doubled by the network or the capture`
    case 'damaged':
      return `${counted(packets, 'packet')} of ${own} with a wrong ICRC, ${psns}: ${otherOf(side)} drops it silently`
    default: {
      const value = valuesOf(event, answers.atomicAnsweredAgain.id)?.['value']
      return `${own} answers again, ${psns}${typeof value === 'string' ? ` with the same value ${value}` : ''}`
    }
  }
}

/** A READ request may be for a part of the one before. */
function restText(event: Of<'packets'>): string {
  const read = valuesOf(event, answers.readRepeated.id)
  return read === undefined ? '' : read['isRest'] === true ? ' (READ for the rest)' : ' (READ)'
}

/** Why packets were sent again. */
function causeText(event: Of<'packets'>): string {
  const { side, answered, before, hole } = event
  if (event.isContinued) return 'the run before goes on, without those between'
  const since = before === null && hole !== null ? '; it had not passed here before: lost before this point' : ''
  const nak = valuesOf(event, losses.retransmissionNak.id)
  if (nak !== undefined) {
    return `the NAK asked for it ${durationIn(nak, 'afterPs')} before${besidesText(nak)}${since}`
  }
  const response = valuesOf(event, losses.retransmissionResponse.id)
  if (response !== undefined)
    return `a later answer came ${durationIn(response, 'afterPs')} before${besidesText(response)}, and its own was missing`
  const rnr = valuesOf(event, losses.retransmissionRnr.id)
  if (rnr !== undefined)
    return `${durationIn(rnr, 'afterPs')} after the RNR NAK, which asked for ${durationIn(rnr, 'askedPs')}`
  const timer = valuesOf(event, losses.retransmissionTimeout.id)
  if (timer !== undefined) return `its timer ran out ${timerText(timer)}${since}`
  const early = valuesOf(event, losses.retransmissionSpurious.id)
  if (early !== undefined)
    return `its timer ran out ${timerText(early)}, too early: it had arrived, and the answer was late`
  const late = valuesOf(event, losses.retransmissionAnswered.id)
  if (late === undefined) return `no cause is seen${since}`
  const by = answered === null ? '' : ` in frame ${answered.frame}`
  return (
    `its timer ran out ${timerText(late)}, although ${otherOf(side)} had answered${by}: ` +
    'the answer was lost behind this point, or came too late'
  )
}

function doneText({ doneAfterPs, answered }: Of<'packets'>): string {
  if (doneAfterPs === null) return answered === null ? '; no answer to it' : ''
  return `; answered ${humanDuration(doneAfterPs)} later`
}

const besidesText = ({ timeoutCode }: Values): string =>
  typeof timeoutCode === 'number' ? `, or by its timer, as code ${timeoutCode} fits too` : ''

const timerText = (values: Values): string => {
  const code = values['timeoutCode']
  return `after ${durationIn(values, 'afterPs')} (${typeof code === 'number' ? `timeout code ${code}` : 'no timeout code fits'})`
}

const durationIn = (values: Values, name: string): string => {
  const value = values[name]
  return typeof value === 'number' ? humanDuration(value) : '-'
}

const valuesOf = ({ findings }: StoryEvent, id: string): Values | undefined =>
  findings.find((one) => one.id === id)?.values

const psnsText = (first: string, last: string): string => (first === last ? `PSN ${first}` : `PSN ${first} to ${last}`)

/** ", sent 2.2 ms before in frame 24" */
const agoText = ({ timePs }: StoryEvent, passed: Passed | null): string =>
  passed === null ? '' : `, sent ${humanDuration(timePs - passed.timePs)} before in frame ${passed.frame}`
