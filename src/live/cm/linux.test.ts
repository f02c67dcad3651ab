/**
 * The agent in the place of one of two Linux machines, in captures that the project does not ship: they are read from a folder
 * beside the checkout, or from the one that ROCELAB_SHARED names. Without it these tests are skipped, with a warning. Numbers
 * that the machine drew are given to the agent, so its messages have to be the same bytes.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CONNECTION_DEFAULTS } from '../../core/verbs/index.ts'
import { type AnyConnectionMad, readConnectionMad, timeoutPs } from '../../core/wire/index.ts'
import { readPcapng } from '../../core/wire/captures/pcapng-reader.test-data.ts'
import { ConnectionAgent } from './agent.ts'
import type { ConnectablePair, Connection } from './host.ts'
import { HERE, PORT, THERE } from './pipe.test-data.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared')
const CAPTURES = path.join(SHARED, 'live/captures')
const missing = !existsSync(CAPTURES)
if (missing) console.warn(`captures of connection managers: skipped, missing ${CAPTURES}`)

const BTH_AT = 14 + 20 + 8
const MAD_AT = BTH_AT + 20
const UD_SEND_ONLY = 0x64
/** Longer than each wait for an answer. */
const WAIT_PS = 7e12

interface Sent {
  readonly isClient: boolean
  readonly isLost: boolean
  readonly mad: Uint8Array
  readonly message: AnyConnectionMad
}

function exchangeOf(file: string): Sent[] {
  const { frames } = readPcapng(new Uint8Array(readFileSync(path.join(CAPTURES, file))))
  return frames
    .filter(({ bytes }) => bytes[BTH_AT] === UD_SEND_ONLY && bytes[BTH_AT + 7] === 1)
    .map(({ bytes, port, comment }) => {
      const mad = bytes.slice(MAD_AT, MAD_AT + 256)
      return { isClient: port === 0, isLost: comment.startsWith('dropped'), mad, message: readConnectionMad(mad)! }
    })
}

const pairOf = (number: number): ConnectablePair => ({ number, state: 'init', listener: null, modify: () => true })

/** Plays one end of a capture, and returns the messages that the agent sent. */
function played(exchange: readonly Sent[], isClient: boolean): { sent: Uint8Array[]; connection: Connection | null } {
  const own = exchange.find((each) => each.isClient === isClient && /RE[QP]/.test(each.message.kind))?.message
  const isReply = own?.kind === 'REP'
  if (own?.kind !== 'REQ' && !isReply) throw new Error('no message of this end')
  const [high, low] = [Number(own.transactionId >> 32n), Number(own.transactionId & 0xffffffffn)]
  const request = isReply ? [] : [high, low, own.flowLabel, ((own.privateData[2]! << 8) | own.privateData[3]!) & 0x7fff]
  const drawn = [own.localId, own.startingPsn, ...request, high, low]
  const ackTimeoutPs = timeoutPs(19)
  const values = { ...CONNECTION_DEFAULTS, readsOut: 1, readsIn: 1, retryLimit: 7, rnrRetryLimit: null, ackTimeoutPs }
  const offered = { pair: pairOf(own.qp), values }
  let connection: Connection | null = null
  const host = {
    accept: (_: number, __: unknown, asked: Connection) => ((connection = asked), offered),
    prepare: (_: number, __: unknown, agreed: never) => agreed,
    onChange: () => {},
  }
  const draw = (): number => drawn.shift()!
  const agent = new ConnectionAgent({
    host,
    ip: isClient ? HERE : THERE,
    draw,
    caGuid: own.caGuid,
    responseTimeout: 20,
  })
  agent.listen(PORT)
  let nowPs = 0
  if (isClient) connection = agent.connect(0, THERE, PORT, offered)
  const sent: Uint8Array[] = []
  for (const each of exchange) {
    if (each.isClient !== isClient) {
      if (!each.isLost) agent.onMad(nowPs, { ip: isClient ? THERE : HERE, port: 1 }, each.mad)
      continue
    }
    if (each.message.kind === 'DREQ') agent.disconnect(nowPs, connection!)
    let next = agent.pollMad(nowPs)
    if (next === null) {
      // This end had waited in vain.
      agent.onTime((nowPs += WAIT_PS))
      next = agent.pollMad(nowPs)
    }
    sent.push(next?.mad ?? new Uint8Array(0))
  }
  expect(agent.pollMad(nowPs)).toBeNull()
  return { sent, connection }
}

describe.skipIf(missing)('in the place of Linux', () => {
  for (const file of ['rping-v4', 'rping-rtu-lost', 'rping-req-lost']) {
    for (const isClient of [true, false]) {
      test(`${file}, as the ${isClient ? 'client' : 'server'}: the same bytes`, () => {
        const exchange = exchangeOf(`${file}.pcapng`)
        const { sent, connection } = played(exchange, isClient)
        expect(sent).toEqual(exchange.filter((each) => each.isClient === isClient).map(({ mad }) => mad))
        expect([connection?.state, connection?.end?.cause]).toEqual(['time wait', 'disconnected'])
      })
    }
  }

  test('nothing listens: rejected with 8', () => {
    const { connection } = played(exchangeOf('rping-no-listener.pcapng'), true)
    expect(connection?.end).toEqual({ cause: 'rejected', by: 'other end', reason: 8 })
  })
})
