/**
 * The story of a connection of a capture in words: how it was set up, what was asked for, what sending again cost and how it
 * ended, then event by event.
 */
import { escapeControls } from '../../core/base/control-characters.ts'
import { exactCount, humanBytes, humanDuration, humanRate, humanShare } from '../../core/base/format.ts'
import type { ConnectionFacts, FollowedConnection, JoinedBy, StoryEnding, StoryEvent } from '../decode/index.ts'
import { counted, type Finding, findingJson, findingSentence } from '../../core/findings/index.ts'
import { type TextOptions, textTable } from '../../show/index.ts'
import { messageCountsText } from './decoded-text.ts'
import { eventText, SIDES } from './story-words.ts'

/** Events of a text: the first ones and the last ones. */
const FIRST = 40
const LAST = 20
/** Digits behind the point of seconds. */
const DIGITS = 6

const SET_UP: Readonly<Record<JoinedBy, string>> = {
  cm: 'set up by the connection manager',
  exchange: 'queue pairs exchanged in TCP',
  datagrams: 'known by the source of its datagrams',
  psns: 'set up before the capture; directions joined as PSNs fit',
}

/** Width of the text where it is for no terminal. */
const WIDTH = 150

/** @param file as the user named it @param findings of the connection */
export function storyText(
  file: string,
  story: FollowedConnection,
  findings: readonly Finding[],
  options: TextOptions,
): string {
  const { events, eventsLeftOut } = story
  const right = (head: string) => ({ head, align: 'right' as const })
  const columns = [right('time (s)'), right('after'), right('frames'), { head: 'event' }]
  const rowOf = (event: StoryEvent): string[] => [
    secondsText(event.timePs),
    event.quietPs === null ? '' : humanDuration(event.quietPs),
    event.frame === event.endFrame ? String(event.frame) : `${event.frame}-${event.endFrame}`,
    eventText(event, events),
  ]
  const isLong = events.length > FIRST + LAST
  const left = events.length - FIRST - LAST + eventsLeftOut
  const gap = [
    '',
    '',
    '',
    `... ${counted(left, 'more event')}; --json has ${eventsLeftOut === 0 ? 'them' : 'some of them'}`,
  ]
  const rows = isLong
    ? [...events.slice(0, FIRST).map(rowOf), gap, ...events.slice(-LAST).map(rowOf)]
    : events.map(rowOf)
  const table = textTable(columns, rows, { ...options, width: options.width ?? WIDTH })
  const also = notInEvents(story, findings).map((one) => `${one.severity}: ${findingSentence(one)}\n`)
  return [
    `${escapeControls(file)}, ${storyLines(story).join('\n')}\n`,
    table,
    ...(also.length === 0 ? [] : [also.join('')]),
  ].join('\n')
}

/** Findings of the connection that no event has. */
function notInEvents({ events }: FollowedConnection, findings: readonly Finding[]): Finding[] {
  const inEvents = new Set(
    events.flatMap((event) => (event.kind === 'traffic' ? [] : event.findings.map(({ id }) => id))),
  )
  return findings.filter(({ id, severity }) => severity !== 'note' && !inEvents.has(id))
}

/** "1.106561" */
export const secondsText = (ps: number): string => (ps / 1e12).toFixed(DIGITS)

/** For programs. @param findings of the connection */
export function storyJson(file: string, story: FollowedConnection, findings: readonly Finding[]): object {
  const { connection, cost, ending, events, eventsLeftOut } = story
  const own = findings.map((finding) => findingJson(finding))
  return { schemaVersion: 1, file, connection, cost, ending, events, eventsLeftOut, findings: own }
}

/** Set-up, what was asked for, cost, ending. */
export function storyLines(story: FollowedConnection): string[] {
  const { connection, ending, events } = story
  const { number, service, directions, mtuBytes, joinedBy, connectPs, startPs, endPs } = connection
  const [there, back] = directions
  const lastPs = endPs - startPs
  const goodput = directions.reduce((sum, { goodputBytes }) => sum + goodputBytes, 0)
  const asked = directions.flatMap((one, side) => {
    const text = messageCountsText([one])
    return text === '' ? [] : [`${SIDES[side]} asked for ${text}`]
  })
  const isManagement = there!.destinationQp === 1
  const setUp = joinedBy === null ? 'one direction only' : isManagement ? 'connection managers' : SET_UP[joinedBy]
  const managers = events.flatMap((event) =>
    event.kind === 'management' && event.againAfterPs !== null && event.message !== 'RTU'
      ? [`${event.message} came again after ${humanDuration(event.againAfterPs)}`]
      : [],
  )
  const own = back === undefined ? '' : ` QP ${back.destinationQp}`
  const rateBps = Math.max(...directions.map(({ goodputBps }) => goodputBps ?? 0))
  const rate = rateBps === 0 ? '' : `, ${humanRate(rateBps)}`
  const resent = costText(story)
  return [
    `#${number}: ${service.toUpperCase()}, A is ${there!.source}${own}, B is ${there!.destination} QP ${there!.destinationQp}; ` +
      `${setUp}${connectPs === null ? '' : ` in ${humanDuration(connectPs)}`}${mtuBytes === null ? '' : `; MTU ${mtuBytes}`}`,
    ...(isManagement
      ? []
      : [
          `${asked.length === 0 ? 'No whole message' : asked.join('; ')}: ${humanBytes(goodput)} in ${humanDuration(lastPs)}${rate}.`,
          resent,
        ]),
    ...(managers.length === 0 ? [] : [`Connection managers: ${managers.join(', ')}.`]),
    endingText(ending, connection),
  ]
}

/** A sentence about the retransmissions of a connection: how many there were, and the time spent waiting for them. */
export function costText({ connection: { startPs, endPs }, cost }: FollowedConnection): string {
  if (cost.recoveries === 0) return 'Nothing was sent again.'
  const share = cost.waitedPs / Math.max(1, endPs - startPs)
  return (
    `${counted(cost.packets, 'packet')}${cost.payloadBytes === 0 ? '' : ` (${humanBytes(cost.payloadBytes)})`} sent again in ` +
    `${cost.recoveries === 1 ? 'one run' : `${exactCount(cost.recoveries)} runs`}; ${cost.recoveries === 1 ? 'the wait before it' : 'the waits before them'} took ${humanDuration(cost.waitedPs)}, ` +
    `${humanShare(share)} of the time.`
  )
}

function endingText({ kind, outstanding, quietPs }: StoryEnding, { directions }: ConnectionFacts): string {
  const open = outstanding
    .flatMap((count, side) => (count > 0 ? [`${counted(count, 'packet')} of ${SIDES[side]}`] : []))
    .join(', ')
  const unanswered = open === '' ? 'everything was answered' : `${open} not answered`
  const refuser = outstanding[0] > 0 ? SIDES[1] : SIDES[0]
  const asker = outstanding[0] > 0 ? SIDES[0] : SIDES[1]
  const since = quietPs > 0 ? `, ${humanDuration(quietPs)} before the capture ends` : ' with the capture'
  const words: Readonly<Record<StoryEnding['kind'], string>> = {
    disconnected: `It ends by the connection manager${since}; ${unanswered}.`,
    rejected: `It was rejected${since}.`,
    refused: `It ends with the refusal of ${refuser}, whose queue pair is in error since; ${unanswered}.`,
    'not-ready': `It ends with RNR NAKs: ${asker} gave up (status 13, RNR retries exceeded), or the capture is too short; ${unanswered}.`,
    silent: `It ends without an answer: ${asker} gave up (status 12, retries exceeded), or the capture is too short; ${unanswered}.`,
    answered: `It ends${since}; ${unanswered}.`,
    open: `It ends${since}; ${unanswered}.`,
    unreliable: `It ends${since}; on this service nobody answers, and nobody sends again.`,
  }
  return directions[0]?.destinationQp === 1 && kind === 'unreliable' ? `It ends${since}.` : words[kind]
}
