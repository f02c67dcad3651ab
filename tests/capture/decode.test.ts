/**
 * Captures of simulated runs, decoded: what a capture can know is equal to what the run counted. Senders' ports see every
 * retransmission, receivers' ports every mark; IRN is known from the file.
 */
import { describe, expect, test } from 'vitest'
import { type Decoded, Decoder, type DirectionFacts } from '../../src/live/decode/index.ts'
import { numbersOf, type Result } from '../../src/core/results/index.ts'
import { CaptureReader } from '../../src/core/wire/index.ts'
import { RUNS, runCaptured } from './runs.ts'

const SENDERS = '"host 0:1, host 1:1, host 2:1"'
const RECEIVER = '"host 3:1"'

interface Reported {
  readonly result: Result
  readonly decoded: Decoded
}

function decodeRun(name: string, ports: string): Reported {
  const result = runCaptured(
    RUNS.find((one) => one.name === name)!,
    `, ports: ${ports}`,
  )
  const decoder = new Decoder()
  const reader = new CaptureReader((record, application) => decoder.add(record, application))
  reader.push(result.attachments![0]!.data)
  return { result, decoded: decoder.end(reader.end()) }
}

function sumOf({ connections }: Decoded, of: (direction: DirectionFacts) => number): number {
  return connections.flatMap(({ directions }) => directions).reduce((sum, one) => sum + of(one), 0)
}
const total = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0)
const again = ({ requestsAgain, responsesAgain }: DirectionFacts): number => requestsAgain + responsesAgain
const data = ({ requests, responses }: DirectionFacts): number => requests + responses
const idsOf = ({ findings }: Decoded): string[] => [...new Set(findings.map(({ id }) => id.replace('capture-', '')))]
/** Sum of a value over the findings of a kind. */
const valueOf = ({ findings }: Decoded, id: string, name: string): number =>
  findings.filter((one) => one.id === `capture-${id}`).reduce((sum, { values }) => sum + Number(values[name]), 0)

const LOSSY = [
  'go-back-N with losses, NAKs and no PFC',
  'losses on links',
  'IRN with NACKs',
  'work requests under IRN with losses',
]
const QUIET = ['not-ect', 'copies-joined']

describe('a run without losses', () => {
  test.each(['go-back-N with PFC and READs', 'DCQCN with marks and CNPs', 'work requests of all operations'])(
    '%s has no loss at any port',
    (name) => {
      for (const ports of [SENDERS, RECEIVER, 'all']) {
        const { decoded } = decodeRun(name, ports)
        expect(sumOf(decoded, again)).toBe(0)
        expect(decoded.findings.filter(({ severity }) => severity !== 'note')).toEqual([])
        expect(decoded.connections.map(({ directions }) => directions.length)).toEqual(decoded.connections.map(() => 2))
      }
    },
  )

  test('pause frames are counted once, at one end of the link or at both', () => {
    for (const ports of [SENDERS, 'all']) {
      const { result, decoded } = decodeRun('go-back-N with PFC and READs', ports)
      const { pauseFrames, resumeFrames, pausedPs } = result.counters
      expect(pauseFrames).toBeGreaterThan(0)
      expect([valueOf(decoded, 'pauses', 'count'), valueOf(decoded, 'pauses', 'resumes')]).toEqual([
        pauseFrames,
        resumeFrames,
      ])
      // Ports are paused from the last bit of a frame on; the capture has its first.
      const ratio = valueOf(decoded, 'pauses', 'pausedPs') / total(pausedPs)
      expect(Math.abs(ratio - 1)).toBeLessThan(0.05)
    }
  })

  test('marks and CNPs are those of the run, wherever they pass', () => {
    for (const name of ['DCQCN with marks and CNPs', 'work requests of all operations'])
      for (const ports of [SENDERS, RECEIVER, 'all']) {
        const { result, decoded } = decodeRun(name, ports)
        const { ecnMarks, cnps } = result.counters
        expect(sumOf(decoded, (one) => one.cnps)).toBe(cnps)
        // Marks are made behind the senders' ports.
        expect(sumOf(decoded, (one) => one.cePackets)).toBe(ports === SENDERS ? 0 : ecnMarks)
        expect(
          idsOf(decoded)
            .filter((id) => id.startsWith('c') && !QUIET.includes(id))
            .toSorted(),
        ).toEqual(ports === SENDERS ? ['cnp', 'cnp-without-ce'] : ['ce', 'cnp'])
      }
  })
})

describe('a run with losses', () => {
  test.each(LOSSY)('%s: at the senders all that was sent again is counted, each with its cause', (name) => {
    const { result, decoded } = decodeRun(name, SENDERS)
    const { retransmissions, timeouts } = result.counters
    expect(decoded.counts.badIcrc).toBe(0)
    expect(sumOf(decoded, again)).toBe(retransmissions)
    const causes = ['nak', 'timeout', 'answered', 'rnr'].map((cause) => `retransmission-${cause}`)
    expect(causes.reduce((sum, id) => sum + valueOf(decoded, id, 'packets'), 0)).toBe(retransmissions)
    expect(valueOf(decoded, 'retransmission-timeout', 'count')).toBe(total(timeouts))
    expect(idsOf(decoded).filter((id) => ['reordered', 'loss-before', 'opcode-unknown'].includes(id))).toEqual([])
  })

  test.each(['go-back-N with losses, NAKs and no PFC', 'IRN with NACKs'])(
    '%s: at the receiver what the switch dropped never came, and nothing is called late',
    (name) => {
      const { result, decoded } = decodeRun(name, RECEIVER)
      const { dataPacketsSent, dataPacketsDropped } = result.counters
      expect(dataPacketsDropped).toBeGreaterThan(0)
      // The READ request is no data, and is the last of the requests here.
      const requests = sumOf(decoded, (one) => one.messages.read)
      expect(sumOf(decoded, data) - requests).toBe(dataPacketsSent - dataPacketsDropped)
      expect(idsOf(decoded)).toContain('loss-before')
      expect(idsOf(decoded)).not.toContain('reordered')
    },
  )

  test('packets that are sent are seen at all ports once', () => {
    const { result, decoded } = decodeRun('losses on links', 'all')
    expect(sumOf(decoded, data)).toBe(result.counters.dataPacketsSent)
    expect(decoded.counts.rocePackets + decoded.counts.copies).toBe(numbersOf(result.series[0]!, 'timePs').length)
  })
})

describe('IRN', () => {
  test('is known from the file, and its NACKs for one packet are one loss', () => {
    const { decoded } = decodeRun('IRN with NACKs', SENDERS)
    expect(idsOf(decoded).filter((id) => !QUIET.includes(id))).toEqual(['loss-after', 'retransmission-nak'])
    expect(valueOf(decoded, 'loss-after', 'count')).toBe(valueOf(decoded, 'retransmission-nak', 'packets'))
    expect(valueOf(decoded, 'loss-after', 'count')).toBeLessThan(sumOf(decoded, (one) => total(one.naks)))
  })

  test('needs to be said where another program has written the file anew', () => {
    const result = runCaptured(
      RUNS.find((one) => one.name === 'IRN with NACKs')!,
      `, ports: ${SENDERS}`,
    )
    const flawsOf = (isIrn: boolean): number => {
      const decoder = new Decoder({ isIrn })
      const reader = new CaptureReader((record) => decoder.add(record, 'mergecap'))
      reader.push(result.attachments![0]!.data)
      return decoder.end(reader.end()).findings.filter(({ id }) => /length-wrong|opcode-unknown|opcode-order/.test(id))
        .length
    }
    expect(flawsOf(true)).toBe(0)
    expect(flawsOf(false)).toBeGreaterThan(0)
  })
})
