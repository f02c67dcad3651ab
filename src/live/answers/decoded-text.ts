/** A decoded capture as text: the story in the first lines, then tables of connections and findings. */
import { escapeControls } from '../../core/base/control-characters.ts'
import { exactCount, humanBytes, humanDuration, humanRate, humanShare } from '../../core/base/format.ts'
import { type ConnectionFacts, type Decoded, type DirectionFacts, isOf, type JoinedBy } from '../decode/index.ts'
import {
  counted,
  type Finding,
  findingJson,
  findingSentence,
  findingText,
  SEVERITIES,
} from '../../core/findings/index.ts'
import { type TextOptions, textTable } from '../../show/index.ts'
import { kindsText, linkText, unreadReasons } from './unread-text.ts'

/** Connections in the story and in the table, and findings. */
const STORY_CONNECTIONS = 3
const TABLE_CONNECTIONS = 30
const FINDINGS_MAX = 40
const HINT = '--explain tells a connection event by event, --html FILE draws all of them\n'

/** Digits of times, so that events of one file differ. */
const TIME_DIGITS = 6

/** Ten years after 1970. */
const CLOCK_MIN_NS = 315_532_800_000_000_000n
/** Later times have no calendar (ECMA-262, Time Values); only damaged files have them. */
const CLOCK_MAX_NS = 8_640_000_000_000_000_000_000n

export const JOINED: Readonly<Record<JoinedBy, string>> = {
  cm: 'connection manager',
  exchange: 'exchange in TCP',
  datagrams: 'datagrams',
  psns: 'guess: PSNs fit',
}

/** @param file as the user named it @param findings those that are not suppressed */
export function decodedText(
  file: string,
  decoded: Decoded,
  findings: readonly Finding[],
  options: TextOptions,
): string {
  return [
    ...storyLines(file, decoded, findings),
    '',
    connectionTable(decoded, options),
    ...(decoded.connections.length === 0 ? [] : [HINT]),
  ].join('\n')
}

/** All findings in sentences, with what to do. */
export function decodedFindingsText(findings: readonly Finding[]): string {
  return findings.length === 0
    ? 'no findings\n'
    : findings.map((one) => `${one.severity}: ${one.id}: ${findingText(one)}\n`).join('')
}

/** For programs. */
export function decodedJson(file: string, decoded: Decoded, findings: readonly Finding[]): object {
  const { facts, ...rest } = decoded
  return {
    schemaVersion: 1,
    file,
    format: facts.format,
    interfaces: facts.interfaces,
    startNs: facts.startNs === null ? null : String(facts.startNs),
    lostByCapture: facts.lostByCapture,
    damage: facts.damage,
    unreadable: Object.fromEntries(facts.unreadable),
    ...rest,
    findings: findings.map((finding) => findingJson(finding)),
  }
}

function storyLines(file: string, decoded: Decoded, findings: readonly Finding[]): string[] {
  const { connections } = decoded
  const more = findings.length - FINDINGS_MAX
  return [
    ...fileLines(file, decoded),
    `${counted(connections.length, 'connection')}${connections.length > 1 ? ', gravest findings and most bytes first' : ''}${connections.length > 0 ? ':' : ''}`,
    ...managersLast(connections)
      .slice(0, STORY_CONNECTIONS)
      .map((one) => `  ${connectionText(one)}`),
    `${verdictText(decoded, findings)}${findings.length > 0 ? ':' : ''}`,
    ...findings.slice(0, FINDINGS_MAX).map((one) => `  ${whenText(one, connections)}${findingSentence(one)}`),
    ...(more > 0 ? [`  and ${counted(more, 'more finding')}; --findings has all, with what to do`] : []),
  ]
}

/** The file, and what is in it. */
export function fileLines(file: string, decoded: Decoded): string[] {
  const { facts, counts, durationPs } = decoded
  // Clocks of simulated runs and of machines without one begin in 1970.
  const start =
    facts.startNs === null || facts.startNs < CLOCK_MIN_NS || facts.startNs > CLOCK_MAX_NS
      ? ''
      : `, from ${new Date(Number(facts.startNs / 1_000_000n)).toISOString()}`
  const joined = counts.copies === 0 ? '' : `, ${exactCount(counts.copies)} copies at other interfaces`
  return [
    `${escapeControls(file)}: ${facts.format}${start}, ${humanDuration(durationPs)}`,
    `${counted(counts.frames, 'frame')}, ${counted(counts.rocePackets, 'RoCEv2 packet')}${joined}, ${othersText(decoded)}`,
  ]
}

/** How many findings of which severity, that nothing is wrong, or why nothing is known. */
export function verdictText(decoded: Decoded, findings: readonly Finding[]): string {
  const { counts, connections } = decoded
  if (counts.rocePackets === 0) return ['no RoCEv2 packet', ...unreadReasons(decoded)].join('; ')
  if (findings.some(({ severity }) => severity !== 'note')) return countsText(findings)
  const lone = connections.filter(({ service, directions }) => isAnswered(service) && directions.length < 2).length
  const ofLone = lone === 0 ? '' : `, as far as ${counted(lone, 'connection')} with one direction alone can show`
  return `nothing wrong: no loss, nothing sent again or refused${ofLone}${findings.length === 0 ? '' : `; ${countsText(findings)}`}`
}

/** Whether packets of a service are answered. */
const isAnswered = (service: string): boolean => service === 'rc' || service === 'xrc'

/** "1 error, 2 warnings" */
function countsText(findings: readonly Finding[]): string {
  const counts = SEVERITIES.toReversed().map(
    (severity) => [findings.filter((one) => one.severity === severity).length, severity] as const,
  )
  return counts.flatMap(([count, severity]) => (count === 0 ? [] : [counted(count, severity)])).join(', ')
}

/** Connections of data before those of queue pair 1. */
function managersLast(connections: readonly ConnectionFacts[]): ConnectionFacts[] {
  return connections.toSorted((a, b) => Number(!isOfData(a)) - Number(!isOfData(b)))
}

/** Not of queue pair 1, which belongs to connection managers. */
export const isOfData = ({ directions }: ConnectionFacts): boolean => directions[0]!.destinationQp !== 1

function othersText({ counts, facts }: Decoded): string {
  const parts = [
    [counts.badIcrc, 'with a wrong ICRC'],
    [counts.cutPackets, 'cut short'],
    [counts.macControl, 'pause frames'],
    [counts.tcp, 'of TCP'],
    [counts.arp, 'of ARP'],
    [counts.roce1, 'of RoCE version 1, which is only counted'],
    [counts.damaged, 'damaged or fragmented'],
  ] as const
  const shown = [
    ...Object.entries(counts.outer).map(([outer, count]) => `${exactCount(count)} in ${outer}`),
    ...parts.filter(([count]) => count > 0).map(([count, what]) => `${exactCount(count)} ${what}`),
    ...[kindsText(counts.otherKinds)].filter((text) => text !== ''),
    ...[...facts.unreadable].map(([number, count]) => `${exactCount(count)} of ${linkText(number)}, which is not read`),
  ]
  return shown.length === 0 ? 'nothing else' : shown.join(', ')
}

function connectionText(connection: ConnectionFacts): string {
  const { number, service, directions, joinedBy, startPs, endPs } = connection
  const [there, back] = directions
  const bytes = directions.reduce((sum, one) => sum + one.wireBytes, 0)
  const join = back === undefined ? 'one direction only' : joinedBy === 'psns' ? 'joined by a guess' : ''
  return [
    `#${number} ${service.toUpperCase()} ${endsText(there!, back)}`,
    humanBytes(bytes),
    messagesText(directions),
    `in ${humanDuration(endPs - startPs)}`,
    ...(join === '' ? [] : [join]),
  ].join(', ')
}

function endsText(there: DirectionFacts, back: DirectionFacts | undefined): string {
  const own = back === undefined ? '' : ` QP ${back.destinationQp}`
  return `${there.source}${own} to ${there.destination} QP ${there.destinationQp}`
}

function messagesText(directions: readonly DirectionFacts[]): string {
  const mads = directions.reduce((sum, one) => sum + one.mads, 0)
  if (mads > 0) return `${counted(mads, 'message')} of connection managers`
  return messageCountsText(directions) || 'no whole message'
}

/** "5 WRITE, 2 READ"; "" of none */
export function messageCountsText(directions: readonly DirectionFacts[]): string {
  const total = { send: 0, write: 0, read: 0, atomic: 0 }
  for (const { messages } of directions)
    for (const kind of ['send', 'write', 'read', 'atomic'] as const) total[kind] += messages[kind]
  const shown = Object.entries(total).filter(([, count]) => count > 0)
  return shown.map(([kind, count]) => `${exactCount(count)} ${kind.toUpperCase()}`).join(', ')
}

function whenText({ id, subject, severity }: Finding, connections: readonly ConnectionFacts[]): string {
  const { atPs, frame, device, queuePair } = subject
  const connection = connections.find((one) => isOf(subject, one))
  const number = connection === undefined ? '' : `#${connection.number} `
  const where = [
    ...(device === undefined ? [] : [`${number}${device}${queuePair === undefined ? '' : ` QP ${queuePair}`}`]),
    ...(atPs === undefined ? [] : [`at ${humanDuration(atPs, TIME_DIGITS)}`]),
    ...(frame === undefined ? [] : [`frame ${frame}`]),
  ].join(', ')
  return `${severity} ${id}${where === '' ? '' : `, ${where}`}: `
}

function connectionTable({ connections, connectionsUnlisted }: Decoded, options: TextOptions): string {
  const right = (head: string) => ({ head, align: 'right' as const })
  const columns = [
    right('#'),
    { head: 'direction' },
    right('packets'),
    right('payload'),
    right('rate'),
    right('again'),
    right('NAKs'),
    right('RNRs'),
    right('RTT p50'),
    right('p99'),
    right('most open'),
    right('CE'),
    right('CNPs'),
    right('DSCP'),
    right('MTU'),
    { head: 'joined by' },
  ]
  const rows = connections.slice(0, TABLE_CONNECTIONS).flatMap((one) =>
    one.directions.map((direction, i) => {
      const { packets, goodputBytes, goodputBps, roundTrips, requests, responses } = direction
      const again = direction.requestsAgain + direction.responsesAgain
      return [
        i === 0 ? String(one.number) : '',
        `${direction.source} to ${direction.destination} QP ${direction.destinationQp}`,
        exactCount(packets),
        humanBytes(goodputBytes),
        goodputBps === null ? '-' : humanRate(goodputBps),
        again === 0 ? '0' : humanShare(again / (requests + responses), 2),
        exactCount(sumOf(direction.naks)),
        exactCount(sumOf(direction.rnrNaks)),
        roundTrips === null ? '-' : humanDuration(roundTrips.p50Ps),
        roundTrips === null ? '-' : humanDuration(roundTrips.p99Ps),
        direction.outstandingMax === 0 ? '-' : exactCount(direction.outstandingMax),
        humanShare(direction.cePackets / packets, 2),
        exactCount(direction.cnps),
        String(direction.dscp),
        one.mtuBytes === null ? '-' : String(one.mtuBytes),
        i === 0 ? (one.joinedBy === null ? 'one direction' : JOINED[one.joinedBy]) : '',
      ]
    }),
  )
  const more = connections.length - TABLE_CONNECTIONS + connectionsUnlisted
  const rest = more > 0 ? `and ${counted(more, 'more connection')}; --json has those that are listed\n` : ''
  return textTable(columns, rows, options) + rest
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
