/**
 * Tables of edges and counters: rows as devices write them, and a message for every mistake, by its line.
 */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { createTable } from '../../../core/results/index.ts'
import { locate } from '../../diagnosis/locate/index.ts'
import { stormStory } from '../../diagnosis/locate/story.test-data.ts'
import type { Edge, Reading } from '../../../core/device-model/index.ts'
import { edgesOf, readEdges, readingsOf, readReadings } from './index.ts'

const HEAD = 'device,port,priority,name,value,unit,kind,bits,timeNs'
const counters = (...rows: readonly string[]): string => `${[HEAD, ...rows].join('\n')}\n`
const mistakesOf = (read: () => unknown): [line: number | undefined, path: string][] => {
  try {
    read()
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(({ line, path }) => [line, path])
    throw error
  }
  return []
}
const inCounters = (...rows: readonly string[]) => mistakesOf(() => readReadings('c.csv', counters(...rows)))
const inEdges = (text: string) => mistakesOf(() => readEdges('e.csv', text))

describe('counters', () => {
  test('are read with any order of columns, in either spelling, without what may be left out', () => {
    const text =
      '\uFEFFtime_ns,name,value,device,priority,port\r\n5,txBytes,1.5e3,"leaf 0",3,Ethernet1/1\r\n\r\n6,cnpSent,7,h,,\r\n'
    expect(readReadings('c.csv', text)).toEqual([
      { device: 'leaf 0', port: 'Ethernet1/1', priority: 3, name: 'txBytes', value: 1500, bits: 64, timeNs: 5 },
      { device: 'h', port: '', priority: -1, name: 'cnpSent', value: 7, bits: 64, timeNs: 6 },
    ])
  })

  test.each([
    ['a device without a name', ',1,3,txBytes,1,,,,0', 'device'],
    ['a name with a control character', '"a\u001b[2J",1,3,txBytes,1,,,,0', 'device'],
    ['a counter that nobody has', 'a,1,3,txBites,1,,,,0', 'name'],
    ['a negative value', 'a,1,3,txBytes,-1,,,,0', 'value'],
    ['a value above the width', 'a,1,3,txBytes,65536,,,16,0', 'value'],
    ['a width of none', 'a,1,3,txBytes,1,,,0,0', 'bits'],
    ['a time that is none', 'a,1,3,txBytes,1,,,,soon', 'time_ns'],
    ['a ninth priority', 'a,1,8,txBytes,1,,,,0', 'priority'],
    ['a priority of a counter of the port', 'a,1,3,crcErrors,1,,,,0', 'priority'],
    ['a port of a counter of the device', 'a,1,,cnpSent,1,,,,0', 'port'],
    ['no port of a counter of ports', 'a,,,crcErrors,1,,,,0', 'port'],
    ['another unit', 'a,1,3,pauseRxUs,1,ms,,,0', 'unit'],
    ['another kind', 'a,1,3,queueMax,1,bytes,sum,,0', 'kind'],
    ['a field too few', 'a,1,3,txBytes,1,,,0', ''],
  ])('%s is a mistake, with its line', (_, row, path) => {
    expect(inCounters('a,1,3,txBytes,1,bytes,sum,32,0', row)).toEqual([[3, path]])
  })

  test('have all their mistakes reported at once, up to 20', () => {
    expect(inCounters('a,1,3,txBites,1,,,,0', 'a,1,9,txBytes,1,,,,0')).toEqual([
      [2, 'name'],
      [3, 'priority'],
    ])
    expect(inCounters(...Array.from({ length: 5000 }, () => 'a'))).toHaveLength(20)
    expect(mistakesOf(() => readReadings('c.csv', 'device,port,colour\n'))).toHaveLength(5)
    expect(mistakesOf(() => readReadings('c.csv', ''))).toHaveLength(6)
    expect(mistakesOf(() => readReadings('c.csv', counters('"a')))).toEqual([[2, '']])
  })
})

describe('edges', () => {
  const head = 'device_a,port_a,device_b,port_b,cable_m\n'

  test('may have no length, and be listed from both ends', () => {
    const edge: Edge = { deviceA: 'a', portA: '1', deviceB: 'b', portB: '2', cableM: NaN, line: 2 }
    expect(readEdges('e.csv', `${head}a,1,b,2,\nb,2,a,1,\nc,1,d,1,2.5\n`)).toEqual([
      edge,
      { deviceA: 'c', portA: '1', deviceB: 'd', portB: '1', cableM: 2.5, line: 4 },
    ])
  })

  test.each([
    ['a port with two peers', 'a,1,b,1,\na,1,c,1,\n', [[3, 'port_a']]],
    ['the other end with two peers', 'a,1,b,1,\nc,1,b,1,\n', [[3, 'port_b']]],
    ['a link to itself', 'a,1,a,2,\n', [[2, 'device_b']]],
    ['a length of words', 'a,1,b,2,long\n', [[2, 'cable_m']]],
    ['an end without a port', 'a,1,b,,\n', [[2, 'port_b']]],
  ])('%s is a mistake', (_, rows, mistakes) => expect(inEdges(head + rows)).toEqual(mistakes))
})

describe('tables of a result', () => {
  const table = (name: string) =>
    createTable('counters', [
      { name: 'device', type: 'text', data: ['a'] },
      { name: 'port', type: 'text', data: ['1'] },
      { name: 'name', type: 'text', data: [name] },
      ...['priority', 'value', 'bits', 'timeNs'].map((column) => ({
        name: column,
        type: 'integer' as const,
        data: Float64Array.of(column === 'bits' ? 32 : 3),
      })),
    ])
  const reading: Reading = { device: 'a', port: '1', priority: 3, name: 'txBytes', value: 3, bits: 32, timeNs: 3 }

  test('are readings and edges', () => {
    expect(readingsOf(table('txBytes'))).toEqual([reading])
    const ends = ['deviceA', 'portA', 'deviceB', 'portB']
    const columns = ends.map((name) => ({ name, type: 'text' as const, data: [name] }))
    const lengths = { name: 'cableM', type: 'number' as const, data: Float64Array.of(5) }
    const [edge] = edgesOf(createTable('edges', [...columns, lengths]))
    expect(edge).toEqual({ ...Object.fromEntries(ends.map((name) => [name, name])), cableM: 5 })
  })

  test('with other rows are refused', () => expect(() => readingsOf(table('txBites'))).toThrow(InputError))
})

/** xorshift32, which shares no stream with the code under test. */
function createDraw(seed: number): (bound: number) => number {
  let state = (seed ^ 0x9e3779b9) | 1
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

describe('damaged files', () => {
  const BUDGET = Number(process.env['ROCELAB_BUDGET'] ?? 1)
  const SEED = Number(process.env['ROCELAB_SEED'] ?? Date.now() % 2 ** 31)
  const FILES = Math.ceil(10_000 * BUDGET)
  const story = stormStory()
  const edgesText = ['device_a,port_a,device_b,port_b,cable_m']
    .concat(story.edges.map((one) => [one.deviceA, one.portA, one.deviceB, one.portB, one.cableM].join()))
    .join('\n')
  const few = story.readings().filter(({ name, device }) => /^pause|xBytes/.test(name) && /[03]$/.test(device))
  const countersText = ['device,port,priority,name,value,bits,time_ns']
    .concat(few.map((one) => [one.device, one.port, one.priority, one.name, one.value, one.bits, one.timeNs].join()))
    .join('\n')
  const SPLINTERS = ['"', ',', '\n', '\r', '\0', '9'.repeat(30), '1e99', '-', '=1', '\u202e', 'NaN', '__proto__', '']

  /** A text with some of its pieces cut out, doubled, replaced or moved. */
  function damaged(text: string, draw: (bound: number) => number): string {
    let bad = text
    for (let cuts = 1 + draw(2); cuts > 0; cuts--) {
      const at = draw(bad.length + 1)
      const end = Math.min(bad.length, at + draw(draw(2) === 0 ? 3 : 40))
      const piece = [SPLINTERS[draw(SPLINTERS.length)]!, bad.slice(at, end).repeat(2), ''][draw(3)]!
      bad = bad.slice(0, at) + piece + bad.slice(end)
    }
    return bad
  }

  test(`${FILES} of them are read or refused with clear messages (seed ${SEED})`, () => {
    const draw = createDraw(SEED)
    let [read, refused] = [0, 0]
    for (let i = 0; i < FILES; i++) {
      // Most files are short, so that there is time for many.
      const rows = countersText.split('\n', 1 + draw(i % 50 === 0 ? few.length : 12)).join('\n')
      const isEdges = draw(4) === 0
      try {
        const edges = readEdges('e.csv', isEdges ? damaged(edgesText, draw) : edgesText)
        const readings = readReadings('c.csv', isEdges ? rows : damaged(rows, draw))
        const { origins } = locate(edges, readings)
        for (const { blame, impact } of origins) if (!(blame >= 0 && impact >= 0)) throw new Error('no number')
        read++
      } catch (error) {
        if (!(error instanceof InputError)) throw new Error(`seed ${SEED}, file ${i}`, { cause: error })
        refused++
        if (error.issues.length > 20) throw new Error(`seed ${SEED}, file ${i}: too many messages`, { cause: error })
        for (const { file, line, expected, received } of error.issues)
          if (file === undefined || !((line ?? 0) >= 1) || expected === '' || received === '')
            throw new Error(`seed ${SEED}, file ${i}: a message without its place`, { cause: error })
      }
    }
    expect(Math.min(read, refused)).toBeGreaterThan(FILES / 50)
  })
})
