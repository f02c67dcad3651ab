/** Ends with a port of their own, as those of rocelab perf and ping: answers that go there are read, whole or cut short. */
import { expect, test } from 'vitest'
import { Decoder } from '../decoder.ts'
import { FACTS, Script } from '../script.test-data.ts'

/** The client has port 50,000 and sends to 4791; answers go back from there. @param keptBytes of each frame */
function decoded(keptBytes: number) {
  const decoder = new Decoder()
  const { records } = new Script().read(1, 1024).answer(16, 1, { aeth: { syndrome: 0x1f, msn: 1 } }, { bytes: 1024 })
  for (const record of records) {
    const bytes = record.bytes.slice()
    const isAnswer = bytes[26 + 3] === 2
    const view = new DataView(bytes.buffer)
    if (isAnswer) {
      view.setUint16(34, 4791)
      view.setUint16(36, 50_000)
    }
    decoder.add({ ...record, bytes: bytes.subarray(0, keptBytes) })
  }
  return decoder.end(FACTS)
}

test('an answer that the capture cut belongs to the request', () => {
  const { connections, counts } = decoded(80)
  expect([counts.rocePackets, counts.others, connections.length]).toEqual([2, 0, 1])
  expect(connections[0]!.directions.map(({ responses }) => responses)).toEqual([0, 1])
})

test('an answer with a wrong ICRC is one all the same where its request was seen', () => {
  const { counts } = decoded(2000)
  // The ICRC covers the ports, which were changed here.
  expect([counts.rocePackets, counts.badIcrc]).toEqual([2, 1])
})
