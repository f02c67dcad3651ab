/**
 * Messages that Linux sent, from captures that the project does not ship: they are read from a folder beside the checkout, or
 * from the one that ROCELAB_SHARED names. Without it these tests are skipped, with a warning.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPcapng } from '../captures/pcapng-reader.test-data.ts'
import { readConnectionMad, readIpRequest, writeConnectionMad, writeIpRequest } from './index.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../../shared')
const CAPTURES = path.join(SHARED, 'live/captures')
const missing = !existsSync(CAPTURES)
if (missing) console.warn(`captures of connection managers: skipped, missing ${CAPTURES}`)

/** Ethernet, IPv4, UDP; then BTH and DETH. */
const BTH_AT = 14 + 20 + 8
const MAD_AT = BTH_AT + 12 + 8
const UD_SEND_ONLY = 0x64

const madsOf = (file: string): Uint8Array[] =>
  readPcapng(new Uint8Array(readFileSync(path.join(CAPTURES, file))))
    .frames.filter(({ bytes }) => bytes[BTH_AT] === UD_SEND_ONLY && bytes[BTH_AT + 7] === 1)
    .map(({ bytes }) => bytes.slice(MAD_AT, MAD_AT + 256))

const files = missing ? [] : readdirSync(CAPTURES).filter((file) => /^rping-|-cm[.]/.test(file))

describe.skipIf(missing)('captures of connection managers', () => {
  test('the kinds of messages, in their order', () => {
    const kinds = Object.fromEntries(
      files.map((file) => [
        file,
        madsOf(file)
          .map((mad) => readConnectionMad(mad)?.kind)
          .join(' '),
      ]),
    )
    expect(kinds).toEqual({
      'rping-no-listener.pcapng': 'REQ REJ',
      'rping-req-lost.pcapng': 'REQ REQ REP RTU DREQ DREP',
      'rping-rtu-lost.pcapng': 'REQ REP RTU REP RTU DREQ DREP',
      'rping-v4.pcapng': 'REQ REP RTU DREQ DREP',
      'write-bw-cm.pcapng': 'REQ REP RTU REQ REP RTU DREQ DREP DREQ DREP',
    })
  })

  test.each(files)('%s: all messages are written as they were read', (file) => {
    for (const mad of madsOf(file)) {
      const message = readConnectionMad(mad)!
      expect(writeConnectionMad(message)).toEqual(mad)
      if (message.kind !== 'REQ') continue
      expect(writeIpRequest(readIpRequest(message.privateData)!)).toEqual(message.privateData)
    }
  })
})
